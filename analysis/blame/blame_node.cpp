#include "analysis/blame/blame_node.hpp"

#include <algorithm>

namespace dpm {

void add_rival(std::vector<BlameRival>& rivals, const BlameRival& rival) {
  const auto known = std::find_if(rivals.begin(), rivals.end(), [&](const BlameRival& other) {
    return rival.part == other.part && rival.process == other.process && rival.name == other.name;
  });
  if (known != rivals.end())
    known->time_ns += rival.time_ns;
  else
    rivals.push_back(rival);
}

void sort_longest_first(std::vector<BlameRival>& rivals) {
  std::stable_sort(rivals.begin(), rivals.end(),
                   [](const BlameRival& a, const BlameRival& b) { return a.time_ns > b.time_ns; });
}

std::int64_t BlameNode::total_ns() const {
  std::int64_t total = 0;
  for (const std::int64_t part : parts_ns) total += part;
  for (const BlameNode& child : waits) total += child.total_ns();
  return total;
}

BlameNode& BlameNode::waited_for(ProcessId other, BlameWait kind) {
  for (BlameNode& known : waits)
    if (known.process == other && known.why == kind) return known;
  waits.push_back({});
  waits.back().process = other;
  waits.back().why = kind;
  return waits.back();
}

void BlameNode::sort_longest_first() {
  for (BlameNode& child : waits) child.sort_longest_first();
  std::stable_sort(waits.begin(), waits.end(),
                   [](const BlameNode& a, const BlameNode& b) { return a.total_ns() > b.total_ns(); });
}

}  // namespace dpm
