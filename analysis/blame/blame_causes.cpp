#include "analysis/blame/blame_causes.hpp"

#include <algorithm>

namespace dpm {
namespace {

// The causes of this node itself: its parts, with its waits for locks.
std::vector<BlameCause> own_causes(const BlameNode& node) {
  std::vector<BlameCause> causes;
  for (std::size_t i = 0; i < kBlameParts; ++i) {
    BlameCause cause{node.process, static_cast<BlamePart>(i), node.parts_ns[i]};
    for (const BlameRival& rival : node.rivals)
      if (rival.part == cause.part) add_rival(cause.rivals, rival);
    if (cause.part == BlamePart::lock)
      for (const BlameNode& child : node.waits)
        if (child.why == BlameWait::lock) {
          const std::int64_t held_ns = child.total_ns();
          cause.time_ns += held_ns;
          add_rival(cause.rivals, {BlamePart::lock, child.process, "", held_ns});
        }
    if (cause.time_ns != 0) causes.push_back(std::move(cause));
  }
  return causes;
}

void collect(const BlameNode& node, std::vector<BlameCause>& causes) {
  for (BlameCause& cause : own_causes(node)) {
    const auto known = std::find_if(causes.begin(), causes.end(), [&](const BlameCause& other) {
      return other.process == cause.process && other.part == cause.part;
    });
    if (known == causes.end()) {
      causes.push_back(std::move(cause));
      continue;
    }
    known->time_ns += cause.time_ns;
    for (const BlameRival& rival : cause.rivals) add_rival(known->rivals, rival);
  }
  for (const BlameNode& child : node.waits)
    if (child.why != BlameWait::lock) collect(child, causes);
}

void follow(const BlameNode& node, std::vector<ProcessId>& above, std::int64_t waited_ns, BlameWay& longest) {
  above.push_back(node.process);
  for (BlameCause& cause : own_causes(node))
    if (cause.time_ns > longest.cause.time_ns) longest = {above, waited_ns, std::move(cause)};
  for (const BlameNode& child : node.waits)
    if (child.why != BlameWait::lock) follow(child, above, above.size() == 1 ? child.total_ns() : waited_ns, longest);
  above.pop_back();
}

}  // namespace

std::vector<BlameCause> longest_causes(const BlameNode& root) {
  std::vector<BlameCause> causes;
  collect(root, causes);
  for (BlameCause& cause : causes) sort_longest_first(cause.rivals);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const BlameCause& a, const BlameCause& b) { return a.time_ns > b.time_ns; });
  return causes;
}

BlameWay longest_way(const BlameNode& root) {
  BlameWay longest;
  std::vector<ProcessId> above;
  follow(root, above, 0, longest);
  sort_longest_first(longest.cause.rivals);
  return longest;
}

}  // namespace dpm
