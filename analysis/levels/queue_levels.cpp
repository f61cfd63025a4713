#include "analysis/levels/queue_levels.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kBinNs = 1'000'000;

}  // namespace

QueueLevels::Length QueueLevels::Length::part(std::int64_t numerator, std::int64_t denominator) const {
  if (numerator >= denominator) return *this;
  const double share = static_cast<double>(numerator) / static_cast<double>(denominator);
  return {std::min(queue_ns, static_cast<std::uint64_t>(static_cast<double>(queue_ns) * share))};
}

QueueLevels::Length& QueueLevels::Length::operator+=(const Length& other) {
  queue_ns += other.queue_ns;
  return *this;
}

QueueLevels::Length& QueueLevels::Length::operator-=(const Length& other) {
  queue_ns -= other.queue_ns;
  return *this;
}

void QueueLevels::on_events(std::span<const Event> batch) {
  for (const Event& event : batch)
    if (!event.process.is_none() && !event.machine.is_none()) take(event);
}

void QueueLevels::take(const Event& event) {
  if (event.process != current_) waiting_.clear();
  current_ = event.process;
  if (event.process.value >= queues_.size()) queues_.resize(event.process.value + 1u);
  Queue& queue = queues_[event.process.value];
  auto& curve = queue.stays[queue.stays.on(event.machine)].curve;
  const LocalTime at{std::clamp(event.local_time.ns, -kTimeEndNs, kTimeEndNs)};  // a trace may be hostile
  if (queue.machine != event.machine) queue.last = curve.empty() ? at : std::max(curve.until(), at);  // another clock
  queue.machine = event.machine;
  const LocalTime to = std::max(queue.last, at);  // a clock may be set back
  const auto elapsed_ns = static_cast<std::uint64_t>(to.ns - queue.last.ns);
  curve.add_over(queue.last, to, {queue.length * elapsed_ns}, kBinNs);
  queue.last = to;
  if (event.type != EventType::message_queued && event.type != EventType::receive) return;
  const Message message{event.peer, event.channel, event.sequence};
  if (event.type == EventType::message_queued) {
    queue.is_known = true;
    if (waiting_.insert(message).second) ++queue.length;
  } else if (waiting_.erase(message) > 0) {
    --queue.length;
  }
}

bool QueueLevels::has_queue(ProcessId process) const {
  return process.value < queues_.size() && queues_[process.value].is_known;
}

bool QueueLevels::empty() const {
  return std::none_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.is_known; });
}

std::uint64_t QueueLevels::still_queued(ProcessId process) const {
  return has_queue(process) ? queues_[process.value].length : 0;
}

std::vector<std::uint64_t> QueueLevels::of(ProcessId process, std::span<const RunTime> edges,
                                           const MachineOffsets& offsets) const {
  DPM_CHECK(!edges.empty());
  std::vector<std::uint64_t> amounts(edges.size() - 1);
  if (!has_queue(process)) return amounts;
  const auto& stays = queues_[process.value].stays;
  for (std::size_t s = 0; s < stays.size(); ++s) {
    std::size_t hint = 0;
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::uint64_t now = stays[s].curve.at(offsets.local_time(stays[s].machine, edges[i]), hint).queue_ns;
      if (i > 0) amounts[i - 1] += now - before;
      before = now;
    }
  }
  return amounts;
}

}  // namespace dpm
