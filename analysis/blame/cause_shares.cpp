#include "analysis/blame/cause_shares.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm {
namespace {

BlamePart part_of(WaitReason reason) {
  switch (reason) {
    case WaitReason::cpu:
      return BlamePart::cpu_queue;
    case WaitReason::lock:
      return BlamePart::lock;
    case WaitReason::timer:
      return BlamePart::timer;
    case WaitReason::signal:
      return BlamePart::signal;
  }
  DPM_CHECK(false);
}

}  // namespace

CauseShares::CauseShares(std::span<const ProcessLine> lines, std::span<const WaitCause> causes)
    : lines_(lines), causes_(lines.size()) {
  for (const WaitCause& cause : causes)
    if (cause.process.value < causes_.size()) causes_[cause.process.value].push_back(cause);
}

void CauseShares::name_in(BlameNode& node) const {
  for (BlameNode& child : node.waits) name_in(child);
  if (node.process.value >= lines_.size()) return;
  const ProcessLine& line = lines_[node.process.value];
  const std::int64_t ready_ns = std::max(line.ready_ns, sum_ns(node.process, true));
  const std::int64_t idle_ns = std::max(line.other_ns, sum_ns(node.process, false));
  const std::int64_t queue_ns = node.of(BlamePart::cpu_queue), other_ns = node.of(BlamePart::other);
  for (const WaitCause& cause : causes_[node.process.value]) {
    const auto cause_ns = static_cast<std::int64_t>(cause.time_ns);
    const BlamePart part = part_of(cause.reason);
    const bool is_cpu = part == BlamePart::cpu_queue;
    const std::int64_t share_ns =
        is_cpu ? share_until(queue_ns, cause_ns, ready_ns) : share_until(other_ns, cause_ns, idle_ns);
    if (share_ns == 0) continue;
    if (!is_cpu) {
      node.of(BlamePart::other) -= share_ns;
      node.of(part) += share_ns;
    }
    const bool is_named = !cause.other.is_none() || !cause.name.empty();
    if (part != BlamePart::timer && is_named) add_rival(node.rivals, {part, cause.other, cause.name, share_ns});
  }
  sort_longest_first(node.rivals);
}

std::int64_t CauseShares::sum_ns(ProcessId process, bool of_cpu) const {
  std::int64_t sum_ns = 0;
  for (const WaitCause& cause : causes_[process.value])
    if ((cause.reason == WaitReason::cpu) == of_cpu) sum_ns += static_cast<std::int64_t>(cause.time_ns);
  return sum_ns;
}

}  // namespace dpm
