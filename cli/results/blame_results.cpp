#include "cli/results/blame_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "cli/number_text.hpp"
#include "cli/printable.hpp"
#include "cli/results/ledger_results.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PartWords {
  const char* text;
  const char* key;
};
constexpr std::array<PartWords, kBlameParts> kWords = {{{"its CPU time", "cpu_s"},
                                                        {"in the queue of the CPU", "cpu_queue_s"},
                                                        {"waits for the disk", "disk_s"},
                                                        {"timers and other waits", "other_s"},
                                                        {"the message was on its way", "on_its_way_s"},
                                                        {"not split: not measured", "not_split_s"},
                                                        {"not metered then", "not_seen_s"},
                                                        {"not followed further", "not_followed_s"}}};

std::string name_of(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : "a process outside";
}

class Tree {
 public:
  Tree(const TraceInfo& info, std::int64_t whole_ns, double share_min)
      : info_(info), whole_ns_(static_cast<double>(std::max<std::int64_t>(whole_ns, 1))), share_min_(share_min) {}

  void add(const BlameNode& node, std::size_t depth) {
    for (std::size_t part = 0; part < kBlameParts; ++part)
      if (node.parts_ns[part] > 0) line(depth, kWords[part].text, node.parts_ns[part]);
    std::int64_t small_ns = 0;
    for (const BlameNode& child : node.waits) {
      const std::int64_t total_ns = child.total_ns();
      if (static_cast<double>(total_ns) < share_min_ * whole_ns_) {
        small_ns += total_ns;
        continue;
      }
      const std::string times = child.times == 1 ? "once" : fmt::format("{} times", child.times);
      line(depth, fmt::format("waits for {}, {}", printable(name_of(child.process, info_)), times), total_ns);
      add(child, depth + 1);
    }
    if (small_ns > 0) line(depth, "waits for other processes", small_ns);
  }

  void line(std::size_t depth, const std::string& text, std::int64_t ns) {
    constexpr std::size_t kTextWidth = 56;
    const double seconds = static_cast<double>(ns) * 1e-9;
    text_ += fmt::format("{:<{}}{:>5.1f} %  {:>10}\n", std::string(depth * 2, ' ') + text, kTextWidth,
                         static_cast<double>(ns) / whole_ns_ * 100, seconds_text(seconds));
  }

  std::string take() { return std::move(text_); }

 private:
  const TraceInfo& info_;
  const double whole_ns_, share_min_;
  std::string text_;
};

// All parts of all nodes, of whichever path they are: who did what, in all.
using Share = std::tuple<std::int64_t, std::uint32_t, std::size_t>;  // ns, process, part

void collect(const BlameNode& node, std::vector<Share>& shares) {
  for (std::size_t part = 0; part < kBlameParts; ++part) {
    if (node.parts_ns[part] == 0) continue;
    const auto known = std::find_if(shares.begin(), shares.end(), [&](const Share& share) {
      return std::get<1>(share) == node.process.value && std::get<2>(share) == part;
    });
    if (known != shares.end())
      std::get<0>(*known) += node.parts_ns[part];
    else
      shares.emplace_back(node.parts_ns[part], node.process.value, part);
  }
  for (const BlameNode& child : node.waits) collect(child, shares);
}

std::vector<Share> longest_first(const BlameNode& root) {
  std::vector<Share> shares;
  collect(root, shares);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return std::get<0>(a) > std::get<0>(b); });
  return shares;
}

Json node_json(const BlameNode& node, const TraceInfo& info) {
  Json json = {{"process", name_of(node.process, info)}, {"total_s", static_cast<double>(node.total_ns()) * 1e-9}};
  for (std::size_t part = 0; part < kBlameParts; ++part)
    json[kWords[part].key] = static_cast<double>(node.parts_ns[part]) * 1e-9;
  json["waits_for"] = Json::array();
  for (const BlameNode& child : node.waits) {
    json["waits_for"].push_back(node_json(child, info));
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
  std::string text = lines.take() + "\nlongest parts\n";
  constexpr std::size_t kShown = 5;
  Tree longest(info, whole_ns, share_min);
  const std::vector<Share> shares = longest_first(tree.root);
  for (std::size_t i = 0; i < std::min(kShown, shares.size()); ++i) {
    const auto [ns, process, part] = shares[i];
    longest.line(1, fmt::format("{}: {}", printable(name_of(ProcessId{process}, info)), kWords[part].text), ns);
  }
  return text + longest.take();
}

Json blame_json(const BlameTree& tree, const TraceInfo& info, const Ledger& ledger) {
  Json longest = Json::array();
  for (const auto& [ns, process, part] : longest_first(tree.root))
    longest.push_back({{"process", name_of(ProcessId{process}, info)},
                       {"part", kWords[part].key},
                       {"time_s", static_cast<double>(ns) * 1e-9}});
  return {{"of", tree.what},
          {"measured", tree.is_measured},
          {"tree", node_json(tree.root, info)},
          {"longest", std::move(longest)},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
