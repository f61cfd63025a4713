#include "cli/results/blame_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/number_text.hpp"
#include "cli/printable.hpp"
#include "cli/results/ledger_results.hpp"
#include "view/blame_words.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the parts.
constexpr std::array<const char*, kBlameParts> kKeys = {"cpu_s",      "cpu_queue_s",   "disk_s",       "lock_s",
                                                        "timer_s",    "other_s",       "on_its_way_s", "not_split_s",
                                                        "not_seen_s", "not_followed_s"};
constexpr std::array<const char*, 5> kWhy = {"message", "process_end", "thread_end", "signal", "lock"};

constexpr double kRounding = 1e-6;  // of the whole

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// A rival that the trace describes has no name of its own.
Json rival_json(ProcessId process, const std::string& name, const TraceInfo& info) {
  if (!process.is_none()) return view::process_text(process, info);
  return name.empty() ? Json() : Json(name);
}

class Tree {
 public:
  Tree(const TraceInfo& info, std::int64_t whole_ns, double share_min)
      : info_(info), whole_ns_(static_cast<double>(std::max<std::int64_t>(whole_ns, 1))), share_min_(share_min) {}

  void add(const BlameNode& node, std::size_t depth) {
    for (std::size_t i = 0; i < kBlameParts; ++i) {
      const auto part = static_cast<BlamePart>(i);
      if (node.of(part) <= 0) continue;
      line(depth, view::part_text(part), node.of(part));
      add_rivals(node, part, depth + 1);
    }
    std::int64_t small_ns = 0;
    for (const BlameNode& child : node.waits) {
      const std::int64_t total_ns = child.total_ns();
      if (is_small(total_ns)) {
        small_ns += total_ns;
        continue;
      }
      const std::string times = child.times == 1 ? "once" : fmt::format("{} times", child.times);
      line(depth, fmt::format("{}, {}", printable(view::wait_text(child, info_)), times), total_ns);
      add(child, depth + 1);
    }
    if (small_ns > 0) line(depth, "waits for other processes", small_ns);
  }

  void line(std::size_t depth, const std::string& text, std::int64_t ns) {
    constexpr std::size_t kTextWidth = 56;
    text_ += fmt::format("{:<{}}{:>5.1f} %  {:>10}\n", std::string(depth * 2, ' ') + text, kTextWidth,
                         static_cast<double>(ns) / whole_ns_ * 100, seconds_text(seconds(ns)));
  }

  std::string take() { return std::move(text_); }

 private:
  bool is_small(std::int64_t ns) const { return static_cast<double>(ns) < share_min_ * whole_ns_; }

  void add_rivals(const BlameNode& node, BlamePart part, std::size_t depth) {
    std::int64_t left_ns = node.of(part);
    for (const BlameRival& rival : node.rivals) {
      if (rival.part != part || is_small(rival.time_ns)) continue;
      line(depth, printable(view::rival_text(rival, info_)), rival.time_ns);
      left_ns -= rival.time_ns;
    }
    const bool is_rounding = static_cast<double>(left_ns) < kRounding * whole_ns_;
    if (left_ns != node.of(part) && !is_rounding) line(depth, "other programs, or not known", left_ns);
  }

  const TraceInfo& info_;
  const double whole_ns_, share_min_;
  std::string text_;
};

Json node_json(const BlameNode& node, const TraceInfo& info) {
  Json json = {{"process", view::process_text(node.process, info)}, {"total_s", seconds(node.total_ns())}};
  for (std::size_t part = 0; part < kBlameParts; ++part) json[kKeys[part]] = seconds(node.parts_ns[part]);
  json["rivals"] = Json::array();
  for (const BlameRival& rival : node.rivals)
    json["rivals"].push_back({{"part", kKeys[static_cast<std::size_t>(rival.part)]},
                              {"program", rival_json(rival.process, rival.name, info)},
                              {"time_s", seconds(rival.time_ns)}});
  json["waits_for"] = Json::array();
  for (const BlameNode& child : node.waits) {
    json["waits_for"].push_back(node_json(child, info));
    json["waits_for"].back()["why"] = kWhy[static_cast<std::size_t>(child.why)];
    json["waits_for"].back()["times"] = child.times;
  }
  return json;
}

}  // namespace

std::string blame_text(const BlameTree& tree, const TraceInfo& info, double share_min) {
  const std::int64_t whole_ns = tree.root.total_ns();
  Tree lines(info, whole_ns, share_min);
  lines.line(0, printable(tree.what), whole_ns);
  lines.add(tree.root, 1);
  std::string text = lines.take() + "\nlongest causes\n";
  constexpr std::size_t kShown = 5;
  Tree longest(info, whole_ns, share_min);
  const std::vector<BlameShare> shares = longest_shares(tree.root);
  for (std::size_t i = 0; i < std::min(kShown, shares.size()); ++i)
    longest.line(1, printable(view::share_text(shares[i], info)), shares[i].time_ns);
  text += longest.take();
  const std::string sentence = view::sentence(tree.root, tree.what, info);
  return sentence.empty() ? text : text + "\n" + printable(sentence) + "\n";
}

Json blame_json(const BlameTree& tree, const TraceInfo& info, const Ledger& ledger) {
  Json longest = Json::array();
  for (const BlameShare& share : longest_shares(tree.root))
    longest.push_back({{"process", view::process_text(share.process, info)},
                       {"part", kKeys[static_cast<std::size_t>(share.part)]},
                       {"rival", rival_json(share.rival, share.rival_name, info)},
                       {"time_s", seconds(share.time_ns)}});
  return {{"of", tree.what},
          {"measured", tree.is_measured},
          {"tree", node_json(tree.root, info)},
          {"longest", std::move(longest)},
          {"sentence", view::sentence(tree.root, tree.what, info)},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
