#include "answers/results/blame_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "answers/results/ledger_results.hpp"
#include "model/share.hpp"
#include "text/characters.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"
#include "view/blame_words.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the parts.
constexpr std::array<const char*, kBlameParts> kKeys = {"cpu_s",       "cpu_queue_s",   "disk_s",     "lock_s",
                                                        "timer_s",     "signal_s",      "other_s",    "on_its_way_s",
                                                        "not_split_s", "not_sampled_s", "not_seen_s", "not_followed_s"};
constexpr std::array<const char*, 6> kWhy = {"message", "process_end", "thread_end", "signal", "lock", "room"};

constexpr double kRounding = 1e-6;  // of the whole

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// A rival that the trace describes has no name of its own.
Json rival_json(ProcessId process, const std::string& name, const TraceInfo& info) {
  if (!process.is_none()) return view::process_text(process, info);
  return name.empty() ? Json() : Json(name);
}

class Tree {
 public:
  Tree(const TraceInfo& info, const BlameTree& tree, double share_min, int width)
      : info_(info),
        tree_(tree),
        whole_ns_(static_cast<double>(tree.whole_ns())),
        share_min_(share_min),
        text_width_(std::clamp(width - kNumbersWidth - (tree.samples > 0 ? kIntervalWidth : 0), kTextWidthLeast,
                               kTextWidthMost)) {}

  void add(const BlameNode& node, std::size_t depth) {
    for (std::size_t i = 0; i < kBlameParts; ++i) {
      const auto part = static_cast<BlamePart>(i);
      if (node.of(part) <= 0) continue;
      line(depth, view::part_text(part), node.of(part), part);
      add_rivals(node, part, depth + 1);
    }
    std::int64_t small_ns = 0;
    for (const BlameNode& child : node.waits) {
      const std::int64_t total_ns = child.total_ns();
      if (is_small(total_ns)) {
        small_ns += total_ns;
        continue;
      }
      line(depth, fmt::format("{}, {}", printable(view::wait_text(child, info_)), times_text(child)), total_ns);
      add(child, depth + 1);
    }
    if (small_ns > 0) line(depth, "waits for other processes", small_ns);
  }

  // A cause, and of the programs that it is shared by the first few.
  void add(const BlameCause& cause) {
    constexpr std::size_t kRivalsShown = 3;
    line(1, printable(view::cause_text(cause, info_)), cause.time_ns, cause.part);
    for (std::size_t i = 0; i < std::min(kRivalsShown, cause.rivals.size()); ++i)
      if (!is_small(cause.rivals[i].time_ns))
        line(2, printable(view::rival_text(cause.rivals[i], info_)), cause.rivals[i].time_ns);
  }

  void line(std::size_t depth, const std::string& text, std::int64_t ns, std::optional<BlamePart> part = {}) {
    const double share = static_cast<double>(ns) / whole_ns_;
    const auto width = static_cast<std::size_t>(text_width_);
    std::istringstream lines(broken_line(std::string(depth * 2, ' ') + text, width));
    std::string words;
    for (std::string next; std::getline(lines, next); words = shortened_name(next, width))
      if (!words.empty()) text_ += words + '\n';
    words.resize(words.size() + width - character_count(words), ' ');
    text_ +=
        fmt::format("{}{:>5.1f} %  {}{:>10}\n", words, share * 100, interval_text(ns, part), seconds_text(seconds(ns)));
  }

  std::string take() { return std::move(text_); }

 private:
  std::string times_text(const BlameNode& child) const {
    if (tree_.samples > 0) return child.times == 1 ? "in 1 sample" : fmt::format("in {} samples", child.times);
    return child.times == 1 ? "once" : fmt::format("{} times", child.times);
  }

  // A column of its own, if the tree is estimated.
  std::string interval_text(std::int64_t ns, std::optional<BlamePart> part) const {
    if (tree_.samples == 0) return "";
    const auto share = tree_.interval_of(ns, part);
    return fmt::format("{:<{}}", share ? fmt::format("({:.1f} to {:.1f})", share->low * 100, share->high * 100) : "",
                       kIntervalWidth);
  }

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
  const BlameTree& tree_;
  static constexpr int kNumbersWidth = 19, kIntervalWidth = 15, kTextWidthLeast = 24, kTextWidthMost = 56;
  const double whole_ns_, share_min_;
  const int text_width_;
  std::string text_;
};

// Between which an amount is.
Json interval_json(const Share& share, const BlameTree& tree) {
  const double whole_s = seconds(tree.whole_ns());
  return {share.low * whole_s, share.high * whole_s};
}

Json intervals_json(const BlameNode& node, const BlameTree& tree) {
  Json json = {{"total_s", interval_json(tree.estimate(node.total_ns()), tree)}};
  for (std::size_t part = 0; part < kBlameParts; ++part) {
    if (node.parts_ns[part] == 0) continue;
    if (const auto share = tree.interval_of(node.parts_ns[part], static_cast<BlamePart>(part)))
      json[kKeys[part]] = interval_json(*share, tree);
  }
  return json;
}

Json node_json(const BlameNode& node, const BlameTree& tree, const TraceInfo& info) {
  Json json = {{"process", view::process_text(node.process, info)}, {"total_s", seconds(node.total_ns())}};
  for (std::size_t part = 0; part < kBlameParts; ++part) json[kKeys[part]] = seconds(node.parts_ns[part]);
  if (tree.samples > 0) json["intervals"] = intervals_json(node, tree);
  json["rivals"] = Json::array();
  for (const BlameRival& rival : node.rivals)
    json["rivals"].push_back({{"part", kKeys[static_cast<std::size_t>(rival.part)]},
                              {"program", rival_json(rival.process, rival.name, info)},
                              {"time_s", seconds(rival.time_ns)}});
  json["waits_for"] = Json::array();
  for (const BlameNode& child : node.waits) {
    json["waits_for"].push_back(node_json(child, tree, info));
    json["waits_for"].back()["why"] = kWhy[static_cast<std::size_t>(child.why)];
    json["waits_for"].back()["times"] = child.times;
  }
  return json;
}

}  // namespace

std::string blame_text(const BlameTree& tree, const TraceInfo& info, double share_min, int width) {
  Tree lines(info, tree, share_min, width);
  lines.line(0, printable(tree.what), tree.root.total_ns());
  lines.add(tree.root, 1);
  std::string text = lines.take() + "\nlongest causes\n";
  constexpr std::size_t kShown = 5;
  Tree longest(info, tree, share_min, width);
  const std::vector<BlameCause> causes = longest_causes(tree.root);
  for (std::size_t i = 0; i < std::min(kShown, causes.size()); ++i) longest.add(causes[i]);
  text += longest.take();
  const auto in_lines = [&](const std::string& sentence) {
    return sentence.empty() ? "" : "\n" + broken_line(sentence, static_cast<std::size_t>(width)) + "\n";
  };
  if (tree.samples > 0) text += in_lines(view::estimate_text(tree));
  return text + in_lines(printable(view::sentence(tree.root, tree.what, info)));
}

Json blame_json(const BlameTree& tree, const BlameGroups& groups, const TraceInfo& info, const Ledger& ledger) {
  Json longest = Json::array();
  for (const BlameCause& cause : longest_causes(groups.tree.root)) {
    Json rivals = Json::array();
    for (const BlameRival& rival : cause.rivals)
      rivals.push_back(
          {{"program", rival_json(rival.process, rival.name, groups.info)}, {"time_s", seconds(rival.time_ns)}});
    longest.push_back({{"process", view::process_text(cause.process, groups.info)},
                       {"part", kKeys[static_cast<std::size_t>(cause.part)]},
                       {"rival", rivals.empty() ? Json() : rivals[0]["program"]},
                       {"rivals", std::move(rivals)},
                       {"time_s", seconds(cause.time_ns)}});
    if (const auto share = tree.interval_of(cause.time_ns, cause.part))
      longest.back()["interval_s"] = interval_json(*share, tree);
  }
  return {{"of", tree.what},
          {"measured", tree.is_measured},
          {"samples", tree.samples},
          {"tree", node_json(tree.root, tree, info)},
          {"longest", std::move(longest)},
          {"sentence", view::sentence(groups.tree.root, tree.what, groups.info)},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
