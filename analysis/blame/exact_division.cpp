#include "analysis/blame/exact_division.hpp"

#include <algorithm>
#include <utility>

namespace dpm {

BlameNode ExactDivision::divide(ProcessId process, BlameInterval interval) const {
  BlameNode node;
  node.process = process;
  add(node, interval, {process});
  return node;
}

void ExactDivision::add(BlameNode& node, BlameInterval interval, const WaitingChain& waiting) const {
  if (interval.to_ns <= interval.from_ns) return;
  const ProcessId process = node.process;
  if (process.value >= lines_.size() || !lines_[process.value].seen) {
    node.of(BlamePart::not_seen) += interval.length_ns();
    return;
  }
  const ProcessLine& line = lines_[process.value];
  const auto clip = [&](std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t from = std::max(from_ns, interval.from_ns);
    return BlameInterval{from, std::max(from, std::min(to_ns, interval.to_ns))};
  };
  node.of(BlamePart::not_seen) += clip(interval.from_ns, line.first_ns).length_ns();
  if (line.last_ns < interval.to_ns) node.of(BlamePart::not_seen) += clip(line.last_ns, interval.to_ns).length_ns();
  auto gap = std::partition_point(line.gaps.begin(), line.gaps.end(),
                                  [&](const ProcessGap& earlier) { return earlier.to_ns <= interval.from_ns; });
  for (; gap != line.gaps.end() && gap->from_ns < interval.to_ns; ++gap) {
    for (const BlameInterval part : {clip(gap->from_ns, gap->idle_from_ns), clip(gap->idle_to_ns, gap->to_ns)})
      if (part.length_ns() > 0) add_busy(node, *gap, line.machine, part);
    const BlameInterval idle = clip(gap->idle_from_ns, gap->idle_to_ns);
    if (idle.length_ns() > 0) add_idle(node, *gap, idle, waiting);
  }
}

void ExactDivision::add_idle(BlameNode& node, const ProcessGap& gap, BlameInterval idle,
                             const WaitingChain& waiting) const {
  if (gap.waits_for.is_none()) {
    node.of(BlamePart::other) += idle.length_ns();
    return;
  }
  BlameNode& other = node.waited_for(gap.waits_for, gap.why);
  ++other.times;
  const std::int64_t sent_ns = std::clamp(gap.sent_ns, idle.from_ns, idle.to_ns);
  other.of(BlamePart::on_its_way) += idle.to_ns - sent_ns;
  const BlameInterval others{idle.from_ns, sent_ns};
  if (waiting.depth >= depth_max_ || waiting.has(other.process))
    other.of(BlamePart::not_followed) += others.length_ns();
  else
    add(other, others, waiting.with(other.process));
}

// Where the CPU was contended first; what is longer than that, other programs must have caused, at any time.
std::int64_t ExactDivision::queued_until(const ProcessGap& gap, MachineId machine, std::int64_t at_ns) const {
  const std::int64_t at = gap.busy_until(at_ns), busy_ns = gap.busy_ns();
  if (at <= 0 || gap.ready_ns == 0) return 0;
  if (at >= busy_ns) return gap.ready_ns;
  const auto lacked = [&](std::int64_t from_ns, std::int64_t to_ns) {
    return contention_.lacked_until_ns(machine, to_ns) - contention_.lacked_until_ns(machine, from_ns);
  };
  const auto lacked_until = [&](std::int64_t until_ns) {
    const double idle = until_ns > gap.idle_from_ns ? lacked(gap.idle_from_ns, std::min(until_ns, gap.idle_to_ns)) : 0;
    return lacked(gap.from_ns, until_ns) - idle;
  };
  const auto ready = static_cast<double>(gap.ready_ns);
  const double whole = lacked_until(gap.to_ns), part = lacked_until(at_ns);
  double queued = ready < whole ? part * ready / whole : part;
  if (ready > whole)
    queued += (static_cast<double>(at) - part) * (ready - whole) / (static_cast<double>(busy_ns) - whole);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(queued), 0, std::min(at, gap.ready_ns));
}

// A part of the gap that has nothing of its idle time. What the gap did besides queueing is spread evenly over the rest.
void ExactDivision::add_busy(BlameNode& node, const ProcessGap& gap, MachineId machine, BlameInterval part) const {
  const std::int64_t queued_from = queued_until(gap, machine, part.from_ns);
  const std::int64_t queued_to = queued_until(gap, machine, part.to_ns);
  node.of(BlamePart::cpu_queue) += queued_to - queued_from;
  const std::int64_t rest_ns = gap.busy_ns() - gap.ready_ns;
  const std::int64_t from = gap.busy_until(part.from_ns) - queued_from, to = gap.busy_until(part.to_ns) - queued_to;
  std::int64_t left_ns = to - from;
  const auto take = [&](std::int64_t until_from, std::int64_t until_to, BlamePart kind) {
    node.of(kind) += until_to - until_from;
    left_ns -= until_to - until_from;
  };
  // Each bound is of the amounts so far, so that rounding leaves no remainder.
  std::int64_t sum_ns = 0, before_from = 0, before_to = 0;
  for (const auto& [amount_ns, kind] :
       {std::pair{gap.cpu_ns, BlamePart::cpu}, {gap.disk_ns, BlamePart::disk}, {gap.other_ns, BlamePart::other}}) {
    sum_ns += amount_ns;
    const std::int64_t at_from = share_until(sum_ns, from, rest_ns), at_to = share_until(sum_ns, to, rest_ns);
    take(at_from - before_from, at_to - before_to, kind);
    before_from = at_from;
    before_to = at_to;
  }
  node.of(BlamePart::not_split) += left_ns;
}

}  // namespace dpm
