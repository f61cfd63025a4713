// What a process of a replay does of its own accord: when a timer ends (timers.hpp), or with the requests that it has
// (request_queues.hpp).
#include <algorithm>
#include <utility>

#include "analysis/history/replay_state.hpp"

namespace dpm {

// Whether the event at its cursor is not due before a timer ends.
bool Replay::State::waits_for_timer(std::uint32_t p) {
  if (timers.waits_ns.empty()) return false;
  Process& process = processes[p];
  const auto timer = timers.waits_ns.find(process.cursor);
  if (timer == timers.waits_ns.end() || std::exchange(process.timer_over, true)) return false;
  double end_ns = now_ns + static_cast<double>(timer->second);
  if (const auto late = late_ns.find(process.cursor); late != late_ns.end()) end_ns = std::min(end_ns, late->second);
  if (end_ns <= now_ns) return false;
  process.waiting = true;
  process.waited = false;
  arrivals.set(p, end_ns);
  return true;
}

// The answer that came too late in the trace ends the wait if it comes in time here.
void Replay::State::come_late(std::uint32_t send, std::int64_t arrival) {
  if (order == Order::recorded) return;
  const std::uint32_t event = timers.late_answers.at(send), p = history.events[send].peer;
  const double at_ns = std::max(static_cast<double>(arrival), now_ns);
  late_ns[event] = at_ns;
  const Process& process = processes[p];
  if (process.cursor == event && process.waiting && at_ns < arrivals.key_of(p)) arrivals.set(p, at_ns);
}

// Whether process `p` no longer waits for the answer to its call. The answer is dropped when it comes.
bool Replay::State::give_up(std::uint32_t p) {
  Process& process = processes[p];
  if (order == Order::recorded || process.phase != Phase::ready || process.source != p) return false;
  const bool has_role = order == Order::role && (roles.is_worker(p) || !handouts[p].empty() || queued.governs(p));
  if (has_role) return false;
  const auto limit = timers.limits_ns.find(process.cursor);
  if (limit == timers.limits_ns.end() || limits_over.contains(process.cursor)) return false;
  const double end_ns = process.sent_at_ns + static_cast<double>(limit->second);
  if (now_ns < end_ns) {
    arrivals.set(p, std::min(arrivals.key_of(p), end_ns));
    return false;
  }
  ArrivedMessages& queue = queues[p];
  const std::size_t answer =
      queue.first_of([&](const ArrivingMessage& message) { return message.receive == process.cursor; });
  if (answer != ArrivedMessages::kNothing) queue.take(answer);
  limits_over.insert(process.cursor);
  process.taken_send = kNoEvent;
  process.taken_from = history.events[process.cursor].peer;
  process.waiting = false;
  arrivals.erase(p);
  return true;
}

// The CPU time around an event. What a process with a queue does when a request comes is spent with its RECEIVE.
CpuCost Replay::State::cpu(std::uint32_t p, std::uint32_t number) {
  const Process& process = processes[p];
  const HistoryEvent& event = history.events[number];
  const bool taken = event.kind() == HistoryKind::receive && process.phase == Phase::after;
  CpuCost cost = costs.cpu(event, process.source, p, taken ? process.taken_from : receiver_of(p, number));
  if (order != Order::role || !queued.governs(p)) return cost;
  if (queued.is_cpu_of_request(p, number)) cost.before_ns = 0;
  if (taken && queued.is_request(p, number) && queued.is_cpu_of_request(p, number + 1))
    cost.after_ns += costs.cpu(history.events[number + 1], p, p, history.events[number + 1].peer).before_ns;
  return cost;
}

// To the event after the one just performed.
void Replay::State::go_on_after(std::uint32_t p) {
  Process& process = processes[p];
  process.timer_over = false;
  process.phase = Phase::before;
  QueuedWork::Next next;
  if (order == Order::role && queued.governs(p)) next = queued.after(p, process.cursor);
  switch (next.kind) {
    case QueuedWork::Next::Kind::as_traced:
      ++process.cursor;
      return;
    case QueuedWork::Next::Kind::stand:
      process.phase = Phase::ready;
      [[fallthrough]];
    case QueuedWork::Next::Kind::event:
      process.cursor = next.event;
      return;
    case QueuedWork::Next::Kind::receive_or_choose:
      process.phase = Phase::idle;
      process.takes_any = true;
  }
}

// No message has come for process `p`, which chooses among the requests that it holds.
bool Replay::State::go_on_with_queue(std::uint32_t p) {
  Process& process = processes[p];
  if (order != Order::role || process.phase != Phase::idle || !queued.governs(p)) return false;
  const std::uint32_t next = queued.choose(p);
  if (next == kNoEvent) return false;
  process.cursor = next;
  process.phase = Phase::before;
  process.waiting = process.waited = process.takes_any = false;
  arrivals.erase(p);
  return true;
}

}  // namespace dpm
