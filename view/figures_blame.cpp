#include "view/figures_blame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/blame/blame_shares.hpp"
#include "view/blame_words.hpp"

namespace dpm::view {
namespace {

constexpr double kShareMin = 0.005;  // of the whole: less is left out of the tree and the flame graph
constexpr std::size_t kCausesMax = 12;
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

// Walks a tree once, for the rows of the table and for the boxes.
class Walk {
 public:
  Walk(const BlameNode& root, const TraceInfo& info)
      : info_(info), whole_ns_(static_cast<double>(std::max<std::int64_t>(root.total_ns(), 1))) {}

  void begin(const BlameNode& root, const std::string& what) {
    add(0, 0, what, root.total_ns(), FlameTone::process);
    divide(root, 1, 0);
  }

  std::vector<std::vector<Cell>> rows;
  std::vector<FlameBox> boxes;

 private:
  bool is_shown(std::int64_t ns) const { return static_cast<double>(ns) >= kShareMin * whole_ns_; }

  void add(std::uint32_t depth, double from, const std::string& text, std::int64_t ns, FlameTone tone) {
    const double share = static_cast<double>(ns) / whole_ns_;
    std::string indented;
    for (std::uint32_t i = 0; i < depth; ++i) indented += "\u2003";
    rows.push_back({{indented + text, depth == 0 ? CellTone::strong : CellTone::normal},
                    {fmt::format("{:.1f} %", share * 100)},
                    {fmt::format("{:.6g} s", static_cast<double>(ns) * 1e-9)}});
    boxes.push_back({depth, from, from + share, text, tone,
                     fmt::format("{}: {:.1f} %, {:.6g} s", text, share * 100, static_cast<double>(ns) * 1e-9)});
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
        add(depth, from, part_text(part), node.of(part), tone_of(part));
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

  const TraceInfo& info_;
  const double whole_ns_;
};

Table causes_table(const BlameNode& root, const TraceInfo& info) {
  const auto whole_ns = static_cast<double>(std::max<std::int64_t>(root.total_ns(), 1));
  Table table{{{"cause"}, {"share", true}, {"time", true}}, {}};
  const auto shares = longest_shares(root);
  for (std::size_t i = 0; i < std::min(kCausesMax, shares.size()); ++i)
    table.rows.push_back({{share_text(shares[i], info), CellTone::prose},
                          {fmt::format("{:.1f} %", static_cast<double>(shares[i].time_ns) / whole_ns * 100)},
                          {fmt::format("{:.6g} s", static_cast<double>(shares[i].time_ns) * 1e-9)}});
  return table;
}

}  // namespace

std::vector<Figure> blame_figures(const BlameNode& root, const std::string& what, const TraceInfo& info) {
  Walk walk(root, info);
  walk.begin(root, what);
  const std::string first = sentence(root, what, info);
  FlameGraph flames{"Where the time of " + what + " went", first, std::move(walk.boxes)};
  Table tree{{{"where the time went"}, {"share", true}, {"time", true}}, std::move(walk.rows)};
  return {{"Flame graph", (first.empty() ? std::string() : first + ". ") + kReading, std::move(flames), true},
          {"Causes", "The longest first, whichever way they were reached.", causes_table(root, info)},
          {"Tree", "Each part is divided by the parts below it.", std::move(tree)}};
}

}  // namespace dpm::view
