#include "analysis/history/replay.hpp"

#include <algorithm>
#include <utility>

#include "analysis/history/replay_state.hpp"
#include "analysis/history/retries.hpp"
#include "model/check.hpp"
#include "model/whole_ns.hpp"

namespace dpm {
namespace {

const DestinationChoices kNoChoices;
const Timers kNoTimers;
const Sleeps kNoSleeps;
const RequestQueues kNoQueues;

}  // namespace

Replay::State::State(const History& h, const Target& target, Roles r)
    : history(h),
      costs(h, target),
      roles(std::move(r)),
      slice_ns(static_cast<double>(target.time_slice.ns)),
      other_load(target.other_load),
      replicas(h, target.replicas),
      destinations(h, roles.destinations == nullptr ? kNoChoices : *roles.destinations),
      timers(roles.timers == nullptr ? kNoTimers : *roles.timers, roles.sleeps == nullptr ? kNoSleeps : *roles.sleeps),
      queued(h, roles.queues == nullptr ? kNoQueues : *roles.queues),
      intake(h, roles, destinations, replicas, timers),
      waits(h),
      buffers(h) {}

void Replay::State::begin(Order new_order, const std::vector<MachineId>& machine_of, bool keep_schedule) {
  order = new_order;
  DPM_CHECK(order != Order::recorded || replicas.empty());
  costs.move(machine_of);
  replicas.begin();
  destinations.begin();
  queued.begin();
  timers.begin();
  intake.begin(order);
  waits.begin();
  buffers.begin();
  now_ns = 0;
  performed = 0;
  pairs.clear();
  result = {};
  const std::uint32_t count = history.process_count();
  processes.assign(count, {});
  machines.resize(costs.machine_count());
  for (std::uint32_t m = 0; m < machines.size(); ++m)
    machines[m].clear(costs.cores(m), slice_ns, m < other_load.size() ? &other_load[m] : nullptr);
  completions.reset(machines.size());
  arrivals.reset(count);
  if (keep_schedule) result.schedule.emplace(history.events.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    Process& process = processes[p];
    process.cursor = history.first_event[p];
    process.source = p;
    if (replicas.is_copy(p)) {
      DPM_CHECK(costs.machine_of(p).value < machines.size());
      process.cursor = replicas.first_request_of(p);
      process.source = replicas.server_of(p);
      process.phase = Phase::ready;
      process.waiting = process.waited = true;
    }
    if (history.first_event[p] == history.first_event[p + 1]) continue;
    DPM_CHECK(costs.machine_of(p).value < machines.size());
    const HistoryEvent& first = history.events[process.cursor];
    process.created = !(first.kind() == HistoryKind::start && first.match != kNoEvent);
    process.waiting = true;
    if (process.created) arrivals.set(p, 0);
  }
}

void Replay::State::go() {
  for (;;) {
    const double completion = completions.least_key(), arrival = arrivals.least_key();
    if (completion <= arrival) {
      if (completion == IndexedHeap::kNever) return;
      now_ns = std::max(now_ns, completion);
      complete(completions.least());
    } else {
      now_ns = std::max(now_ns, arrival);
      wake(arrivals.least());
    }
  }
}

void Replay::State::complete(std::uint32_t machine) {
  SharedMachine& shared = machines[machine];
  shared.advance_to_completion(now_ns);
  result.elapsed_ns = std::max(result.elapsed_ns, now_ns);  // work may be a segment's last, with no event after it
  const std::uint32_t p = shared.first();
  Process& process = processes[p];
  process.phase = process.phase == Phase::before ? Phase::ready : process.phase;
  const std::int64_t work_ns = advance(p);
  if (work_ns > 0) {
    shared.go_on(static_cast<double>(work_ns));
  } else {
    shared.finish();
  }
  const double next = shared.next_completion_ns();
  if (next == IndexedHeap::kNever) {
    completions.erase(machine);
  } else {
    completions.set(machine, next);
  }
}

void Replay::State::wake(std::uint32_t p) {
  arrivals.erase(p);
  processes[p].waiting = false;
  const std::int64_t work_ns = advance(p);
  if (work_ns <= 0) return;
  const std::uint32_t machine = costs.machine_of(p).value;
  machines[machine].add(now_ns, p, static_cast<double>(work_ns));
  completions.set(machine, machines[machine].next_completion_ns());
}

// Performs what process `p` can do at this instant. Returns the CPU time it needs before it can continue, or 0 if it
// waits or has ended. Never touches a machine: whatever wakes other processes goes through `arrivals`.
std::int64_t Replay::State::advance(std::uint32_t p) {
  Process& process = processes[p];
  for (;;) {
    const HistoryEvent& event = history.events[process.cursor];
    const HistoryKind kind = event.kind();
    if (process.phase == Phase::before) {
      if (!timers.empty()) {
        if (waits_for_timer(p)) return 0;
        if (leaves_out_retry(p)) continue;
      }
      const std::int64_t before_ns = cpu(p, process.cursor).before_ns + std::exchange(process.wake_up_cpu_ns, 0);
      result.cpu_ns += before_ns;
      if (before_ns > 0) return before_ns;
      process.phase = Phase::ready;
    }
    if (stands_at_wait(p)) {
      waits.stand_at(process.cursor, p);
      process.waiting = process.waited = true;
      return 0;
    }
    if (kind == HistoryKind::end && process.phase == Phase::ready) {
      perform(p, process.cursor);
      if (order == Order::recorded) return 0;
      process.phase = Phase::idle;
    }
    if (process.phase == Phase::idle || (kind == HistoryKind::receive && process.phase == Phase::ready)) {
      if (!receive(p)) {
        if (!go_on_with_queue(p) && !give_up(p)) return 0;
        if (process.phase != Phase::ready) continue;
      }
      take_out_of_buffer(p);
      process.phase = Phase::after;
      const std::int64_t after_ns = cpu(p, process.cursor).after_ns;
      result.cpu_ns += after_ns;
      if (after_ns > 0) return after_ns;
    }
    switch (history.events[process.cursor].kind()) {  // an idle process has taken a message since
      case HistoryKind::send:
        send(p, process.cursor);
        break;
      case HistoryKind::create:
        create(process.cursor);
        break;
      case HistoryKind::move_data:
        pairs.arrive(p, event.peer, whole_ns(now_ns) + costs.delivery_ns(event, p, event.peer));
        break;
      case HistoryKind::wake:
        if (event.match != kNoEvent) end_wait(event.match);
        break;
      case HistoryKind::start:
      case HistoryKind::wait:
        process.taken_send = event.match;
        break;
      case HistoryKind::receive:
      case HistoryKind::end:
        break;
    }
    perform(p, process.cursor);
    go_on_after(p);
    if (kind == HistoryKind::send && stops_at_full_buffer(p, event)) return 0;
  }
}

// The CPU time around an event.
CpuCost Replay::State::cpu(std::uint32_t p, std::uint32_t number) {
  const Process& process = processes[p];
  const HistoryEvent& event = history.events[number];
  const HistoryKind kind = event.kind();
  const bool taken = kind == HistoryKind::receive && process.phase == Phase::after;
  const std::uint32_t peer = taken                       ? process.taken_from
                             : kind == HistoryKind::send ? receiver_of(p, number)
                                                         : std::uint32_t{event.peer};
  const CpuCost cost = costs.cpu(event, process.source, p, peer, process.work_factor);
  return order == Order::role && queued.governs(p) ? cpu_with_queue(p, number, taken, cost) : cost;
}

// To the event after the one just performed.
void Replay::State::go_on_after(std::uint32_t p) {
  Process& process = processes[p];
  process.timer_over = false;
  process.phase = Phase::before;
  if (order == Order::role && queued.governs(p)) {
    go_on_after_queued(p);
  } else {
    ++process.cursor;
  }
}

void Replay::State::perform(std::uint32_t p, std::uint32_t event) {
  ++performed;
  result.elapsed_ns = std::max(result.elapsed_ns, now_ns);
  if (!result.schedule) return;
  Process& process = processes[p];
  Schedule& schedule = *result.schedule;
  schedule.finished_ns[event] = now_ns;
  schedule.performed_by[event] = p;
  schedule.previous[event] = process.previous;
  process.previous = event;
  if (!needs_match(history.events[event].kind())) return;
  schedule.cause[event] = process.taken_send;
  schedule.waited[event] = process.waited;
  process.waited = false;
}

void Replay::State::create(std::uint32_t number) {
  const HistoryEvent& event = history.events[number];
  if (event.match == kNoEvent) return;
  Process& created = processes[event.peer];
  created.waited = true;
  created.created = true;
  arrivals.set(event.peer, now_ns);
}

std::uint32_t Replay::State::receiver_of(std::uint32_t p, std::uint32_t number) const {
  const HistoryEvent& event = history.events[number];
  if (event.kind() != HistoryKind::send) return event.peer;
  const Process& process = processes[p];
  if (process.redirect_to != kNoPeer && event.peer == process.redirect_from) return process.redirect_to;
  if (event.match == kNoEvent) return event.peer;
  if (!replicas.empty()) return replicas.receiver_of(p, event);
  if (order == Order::role && !destinations.empty()) {
    const std::uint32_t next = destinations.receiver_of(p, number);
    if (next != Destinations::kNone) return next;
  }
  const std::uint32_t by = intake.performer_of(event.match);
  return by == Roles::kNone ? event.peer : by;
}

void Replay::State::send(std::uint32_t p, std::uint32_t number) {
  const HistoryEvent& event = history.events[number];
  Process& process = processes[p];
  const std::uint32_t receiver = receiver_of(p, number);
  process.sent_at_ns = now_ns;
  intake.sent(p, process, receiver);
  const std::int64_t now = whole_ns(now_ns);
  std::int64_t arrival = now;
  if (receiver != kNoPeer) arrival = pairs.arrive(p, receiver, now + costs.delivery_ns(event, p, receiver));
  if (event.match != kNoEvent) {
    if (!replicas.empty()) replicas.sent(p, event);
    if (order == Order::role) destinations.sent(p, number, receiver);
    if (receiver != p) buffers.sent(event);
    deliver(receiver, {arrival, p, process.sent++, number, event.match});
  } else if (timers.is_late(number)) {
    come_late(number, arrival);
  } else if (const ExternalArc* arc = intake.answer_from_outside(number)) {
    deliver(p, {now + static_cast<std::int64_t>(arc->elapsed_ns), event.peer, 0, number, arc->to});
  } else if (order == Order::role && receiver != kNoPeer && queued.gives_last(receiver, number)) {
    const auto at_ns = static_cast<double>(arrival);
    if (processes[receiver].waiting && at_ns < arrivals.key_of(receiver)) arrivals.set(receiver, at_ns);
  }
}

void Replay::State::deliver(std::uint32_t receiver, const ArrivingMessage& message) {
  if (!intake.deliver(receiver, message)) return;
  const Process& process = processes[receiver];
  const bool looking = process.waiting && process.waited && !stands_at_wait(receiver);
  if (!looking || !intake.is_wanted(receiver, process, message)) return;
  const double key = std::max(static_cast<double>(message.arrival_ns), now_ns);
  if (key < arrivals.key_of(receiver)) arrivals.set(receiver, wake_for(receiver, message, key));
}

// When a receiver that waits for this message can continue; charges both ends for it. A receiver that is about to wake
// (`arrivals` contains it) has been woken, if that was necessary.
double Replay::State::wake_for(std::uint32_t receiver, const ArrivingMessage& message, double arrival) {
  const bool from_outside = history.events[message.send].match == kNoEvent;
  const bool sleeps = arrivals.key_of(receiver) == IndexedHeap::kNever;
  if (!costs.has_wake_ups() || from_outside || !sleeps) return arrival;
  const SharedMachine& machine = machines[costs.machine_of(receiver).value];
  if (!machine.is_idle()) return arrival;  // the process at work there yields in time
  const auto cost = costs.wake_up(message.sender, receiver, machine.idle_ns(now_ns));
  processes[message.sender].wake_up_cpu_ns += cost.sender_cpu_ns;
  processes[receiver].wake_up_cpu_ns += cost.receiver_cpu_ns;
  return arrival + static_cast<double>(cost.delivery_ns);
}

// The answer that came too late in the trace ends the wait if it comes in time here.
void Replay::State::come_late(std::uint32_t send, std::int64_t arrival) {
  if (order == Order::recorded) return;
  const double at_ns = std::max(static_cast<double>(arrival), now_ns);
  const std::uint32_t event = timers.send_late(send, at_ns), p = history.events[send].peer;
  const Process& process = processes[p];
  if (process.cursor == event && process.waiting && at_ns < arrivals.key_of(p)) arrivals.set(p, at_ns);
}

void Replay::State::go_to_the_end() {
  go();
  result.left_out = timers.left_out().empty() ? 0 : count_left_out(history, timers.left_out());
  const std::uint64_t all = history.events.size() - result.left_out;
  while (performed < all && (release_sender() || (order != Order::recorded && force_one()))) go();
  result.not_performed = performed > all ? performed - all : all - performed;
}

Replay::Replay(const History& history, const Target& target, Roles roles)
    : state_(std::make_unique<State>(history, target, std::move(roles))) {}

Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;

ReplayResult Replay::run(Order order, const std::vector<MachineId>& machine_of, bool keep_schedule) {
  State& state = *state_;
  state.leaves_out = true;
  state.begin(order, machine_of, keep_schedule);
  state.go_to_the_end();
  // Where servers mix what several messages cause, others wait for what is left out.
  if (!state.timers.left_out().empty() && state.result.not_performed > 0) {
    state.leaves_out = false;
    state.begin(order, machine_of, keep_schedule);
    state.go_to_the_end();
  }
  return std::move(state.result);
}

// Takes the message that the process waits for, if it has arrived; otherwise arranges that the process is woken.
bool Replay::State::receive(std::uint32_t p) {
  Process& process = processes[p];
  const double arrival_ns = intake.receive(p, process, now_ns);
  if (arrival_ns <= now_ns) return true;
  if (arrival_ns != IndexedHeap::kNever) arrivals.set(p, arrival_ns);
  process.waiting = process.waited = true;
  return false;
}

// When no process can continue although there is more to do, the message that arrived first is received by a process
// that waits for others; without any message, an unfinished wait ends. Returns whether there was one.
bool Replay::State::force_one() {
  std::uint32_t first = Roles::kNone, outside = Roles::kNone, at_wait = Roles::kNone;
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    if (!processes[p].waiting || !processes[p].created) continue;
    if (stands_at_wait(p)) {
      at_wait = std::min(at_wait, p);
      continue;
    }
    const ArrivingMessage* arrived = intake.first_arrived(p);
    if (arrived != nullptr && (first == Roles::kNone || *arrived < *intake.first_arrived(first))) first = p;
    if (outside == Roles::kNone && intake.force_from_outside(p, processes[p])) outside = p;
  }
  const std::uint32_t forced = outside != Roles::kNone ? outside : first;
  if (forced == Roles::kNone && at_wait == Roles::kNone) return false;
  ++result.forced_receives;
  if (forced == Roles::kNone) {
    end_wait(processes[at_wait].cursor);
    return true;
  }
  if (outside == Roles::kNone) processes[forced].takes_any = true;
  arrivals.set(forced, now_ns);
  return true;
}

// ---- what a process does of its own: when a timer ends (timers.hpp), with the requests that it has (request_queues.hpp)

// Whether the event at its cursor is not due before a timer ends.
bool Replay::State::waits_for_timer(std::uint32_t p) {
  Process& process = processes[p];
  const auto end_ns = timers.end_of_wait(process, now_ns);
  if (!end_ns || *end_ns <= now_ns) return false;
  process.waiting = true;
  process.waited = false;
  arrivals.set(p, *end_ns);
  return true;
}

bool Replay::State::leaves_out_retry(std::uint32_t p) {
  if (!leaves_out || order == Order::recorded || processes[p].source != p || has_role(p)) return false;
  return timers.leave_out_retry(processes[p]);
}

// Whether process `p` no longer waits for the answer to its call. The answer is dropped when it comes.
bool Replay::State::give_up(std::uint32_t p) {
  Process& process = processes[p];
  if (order == Order::recorded || process.phase != Phase::ready || process.source != p || has_role(p)) return false;
  const auto limit_ns = timers.limit_ns(process.cursor);
  if (!limit_ns) return false;
  const double end_ns = process.sent_at_ns + static_cast<double>(*limit_ns);
  if (now_ns < end_ns) {
    arrivals.set(p, std::min(arrivals.key_of(p), end_ns));
    return false;
  }
  intake.drop(p, process.cursor);
  process.taken_send = kNoEvent;
  process.taken_from = history.events[process.cursor].peer;
  process.waiting = false;
  arrivals.erase(p);
  return true;
}

// To what its queue says, after the event just performed.
void Replay::State::go_on_after_queued(std::uint32_t p) {
  Process& process = processes[p];
  const QueuedWork::Next next = queued.after(p, process.cursor);
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
