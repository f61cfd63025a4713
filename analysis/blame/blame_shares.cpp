#include "analysis/blame/blame_shares.hpp"

#include <algorithm>

namespace dpm {
namespace {

// The causes of this node itself: its parts, divided by rivals, and its waits for locks.
std::vector<BlameShare> own_shares(const BlameNode& node) {
  std::vector<BlameShare> shares;
  for (std::size_t i = 0; i < kBlameParts; ++i) {
    const auto part = static_cast<BlamePart>(i);
    std::int64_t left_ns = node.of(part);
    for (const BlameRival& rival : node.rivals) {
      if (rival.part != part) continue;
      shares.push_back({node.process, part, rival.process, rival.name, rival.time_ns});
      left_ns -= rival.time_ns;
    }
    if (left_ns != 0) shares.push_back({node.process, part, {}, "", left_ns});
  }
  for (const BlameNode& child : node.waits)
    if (child.why == BlameWait::lock)
      shares.push_back({node.process, BlamePart::lock, child.process, "", child.total_ns()});
  return shares;
}

void collect(const BlameNode& node, std::vector<BlameShare>& shares) {
  for (const BlameShare& share : own_shares(node)) {
    const auto known = std::find_if(shares.begin(), shares.end(), [&](const BlameShare& other) {
      return other.process == share.process && other.part == share.part && other.rival == share.rival &&
             other.rival_name == share.rival_name;
    });
    if (known != shares.end())
      known->time_ns += share.time_ns;
    else
      shares.push_back(share);
  }
  for (const BlameNode& child : node.waits)
    if (child.why != BlameWait::lock) collect(child, shares);
}

void follow(const BlameNode& node, std::vector<ProcessId>& above, std::int64_t waited_ns, BlameWay& longest) {
  above.push_back(node.process);
  for (const BlameShare& share : own_shares(node))
    if (share.time_ns > longest.cause.time_ns) longest = {above, waited_ns, share};
  for (const BlameNode& child : node.waits)
    if (child.why != BlameWait::lock) follow(child, above, above.size() == 1 ? child.total_ns() : waited_ns, longest);
  above.pop_back();
}

}  // namespace

std::vector<BlameShare> longest_shares(const BlameNode& root) {
  std::vector<BlameShare> shares;
  collect(root, shares);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const BlameShare& a, const BlameShare& b) { return a.time_ns > b.time_ns; });
  return shares;
}

BlameWay longest_way(const BlameNode& root) {
  BlameWay longest;
  std::vector<ProcessId> above;
  follow(root, above, 0, longest);
  return longest;
}

}  // namespace dpm
