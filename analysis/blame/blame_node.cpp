#include "analysis/blame/blame_node.hpp"

#include <algorithm>

namespace dpm {

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
