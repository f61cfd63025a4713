#include "view/figures_blame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/blame/blame_causes.hpp"
#include "model/share.hpp"
#include "view/blame_words.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr double kShareMin = 0.005;  // of the whole: less is left out of the tree and the flame graph
constexpr std::size_t kCausesMax = 12, kRivalsMax = 3;
constexpr const char* kReading = "Each box lies below the one that it is a part of; less than 0.5 % is left out.";

FlameTone tone_of(BlamePart part) {
  switch (part) {
    case BlamePart::cpu:
      return FlameTone::cpu;
    case BlamePart::cpu_queue:
      return FlameTone::queue;
    case BlamePart::disk:
      return FlameTone::disk;
    case BlamePart::lock:
      return FlameTone::lock;
    default:
      return FlameTone::other;
  }
}

// `part`: what the time is of; none: of several.
std::string share_of_text(std::int64_t time_ns, const BlameTree& tree, std::optional<BlamePart> part = {}) {
  const double share = static_cast<double>(time_ns) / static_cast<double>(tree.whole_ns());
  const auto interval = tree.interval_of(time_ns, part);
  if (!interval) return fmt::format("{:.1f} %", share * 100);
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", share * 100, interval->low * 100, interval->high * 100);
}

// Walks a tree once, for the rows of the table and for the boxes.
class Walk {
 public:
  Walk(const BlameTree& tree, const TraceInfo& info)
      : tree_(tree), info_(info), whole_ns_(static_cast<double>(tree.whole_ns())) {}

  void begin() {
    add(0, 0, tree_.what, tree_.root.total_ns(), FlameTone::process);
    divide(tree_.root, 1, 0);
  }

  std::vector<std::vector<Cell>> rows;
  std::vector<FlameBox> boxes;

 private:
  bool is_shown(std::int64_t ns) const { return static_cast<double>(ns) >= kShareMin * whole_ns_; }

  void add(std::uint32_t depth, double from, const std::string& text, std::int64_t ns, FlameTone tone,
           std::optional<BlamePart> part = {}) {
    const double share = static_cast<double>(ns) / whole_ns_;
    std::string indented;
    for (std::uint32_t i = 0; i < depth; ++i) indented += "\u2003";
    rows.push_back({{indented + text, depth == 0 ? CellTone::strong : CellTone::normal},
                    {share_of_text(ns, tree_, part)},
                    {seconds(static_cast<double>(ns) * 1e-9)}});
    boxes.push_back(
        {depth, from, from + share, text, tone,
         fmt::format("{}: {}, {}", text, share_of_text(ns, tree_, part), seconds(static_cast<double>(ns) * 1e-9))});
  }

  void divide(const BlameNode& node, std::uint32_t depth, double from) {
    const auto share = [this](std::int64_t ns) { return static_cast<double>(ns) / whole_ns_; };
    for (const BlameNode& child : node.waits) {
      const std::int64_t total_ns = child.total_ns();
      if (is_shown(total_ns)) {
        add(depth, from, wait_text(child, info_), total_ns, FlameTone::process);
        divide(child, depth + 1, from);
      }
      from += share(total_ns);
    }
    for (std::size_t i = 0; i < kBlameParts; ++i) {
      const auto part = static_cast<BlamePart>(i);
      if (is_shown(node.of(part))) {
        add(depth, from, part_text(part), node.of(part), tone_of(part), part);
        add_rivals(node, part, depth + 1, from);
      }
      from += share(node.of(part));
    }
  }

  void add_rivals(const BlameNode& node, BlamePart part, std::uint32_t depth, double from) {
    for (const BlameRival& rival : node.rivals) {
      if (rival.part != part) continue;
      if (is_shown(rival.time_ns)) add(depth, from, rival_text(rival, info_), rival.time_ns, tone_of(part));
      from += static_cast<double>(rival.time_ns) / whole_ns_;
    }
  }

  const BlameTree& tree_;
  const TraceInfo& info_;
  const double whole_ns_;
};

Table causes_table(const BlameTree& tree, const TraceInfo& info) {
  Table table{{{"cause"}, {"share", true}, {"time", true}}, {}};
  const auto add = [&](const std::string& text, std::int64_t time_ns, BlamePart part) {
    table.rows.push_back({{text, CellTone::prose},
                          {share_of_text(time_ns, tree, part)},
                          {seconds(static_cast<double>(time_ns) * 1e-9)}});
  };
  const auto causes = longest_causes(tree.root);
  for (std::size_t i = 0; i < std::min(kCausesMax, causes.size()); ++i) {
    add(cause_text(causes[i], info), causes[i].time_ns, causes[i].part);
    for (std::size_t k = 0; k < std::min(kRivalsMax, causes[i].rivals.size()); ++k)
      add("\u2003" + rival_text(causes[i].rivals[k], info), causes[i].rivals[k].time_ns, causes[i].part);
  }
  return table;
}

}  // namespace

std::vector<Figure> blame_figures(const BlameTree& tree, const TraceInfo& info) {
  Walk walk(tree, info);
  walk.begin();
  const std::string first = sentence(tree.root, tree.what, info);
  FlameGraph flames{"Where the time of " + tree.what + " went", first, std::move(walk.boxes)};
  Table rows{{{"where the time went"}, {"share", true}, {"time", true}}, std::move(walk.rows)};
  return {{"Flame graph", (first.empty() ? std::string() : first + ". ") + kReading, std::move(flames), true},
          {"Causes", "The longest first, whichever way they were reached.", causes_table(tree, info)},
          {"Tree", "Each part is divided by the parts below it.", std::move(rows)}};
}

}  // namespace dpm::view
