#include "analysis/history/replay.hpp"

#include <algorithm>
#include <utility>

#include "analysis/history/replay_state.hpp"
#include "analysis/history/retries.hpp"
#include "analysis/history/tasks.hpp"
#include "model/check.hpp"
#include "model/whole_ns.hpp"

namespace dpm {
namespace {

const DestinationChoices kNoChoices;
const Timers kNoTimers;
const RequestQueues kNoQueues;

}  // namespace

Replay::State::State(const History& h, const Target& target, Roles r)
    : history(h),
      costs(h, target),
      roles(std::move(r)),
      slice_ns(static_cast<double>(target.time_slice.ns)),
      replicas(h, target.replicas),
      destinations(h, roles.destinations == nullptr ? kNoChoices : *roles.destinations),
      timers(roles.timers == nullptr ? kNoTimers : *roles.timers),
      has_timers(!timers.waits_ns.empty()),
      queued(h, roles.queues == nullptr ? kNoQueues : *roles.queues),
      wanted(h, roles, destinations, replicas),
      waits(h),
      buffers(h),
      task_of(tasks_of_receives(h, roles)) {
  for (const auto& arc : h.external_arcs) {
    external_from.emplace(arc.from, arc);
    external_to.emplace(arc.to, arc);
  }
  takes_outside.assign(h.process_count(), 0);
  handouts.resize(h.process_count());
  for (std::uint32_t p = 0; p < h.process_count(); ++p) {
    for (std::uint32_t e = h.first_event[p]; e < h.first_event[p + 1]; ++e) {
      const HistoryEvent& event = h.events[e];
      if (from_outside(event) && !external_to.contains(e)) takes_outside[p] = 1;
    }
    handouts[p] = handouts_of(h, roles, p);
    if (!handouts[p].empty() && counted.empty()) counted.assign(h.events.size(), 0);
    for (const Handout& handout : handouts[p]) counted[handout.receive] = 1;
  }
  performer.assign(task_of.size(), Roles::kNone);
}

void Replay::State::begin(Order new_order, const std::vector<MachineId>& machine_of, bool keep_schedule) {
  order = new_order;
  DPM_CHECK(order != Order::recorded || replicas.empty());
  costs.move(machine_of);
  replicas.begin();
  destinations.begin();
  queued.begin();
  wanted.begin(order == Order::role);
  std::fill(performer.begin(), performer.end(), Roles::kNone);
  waits.begin();
  buffers.begin();
  now_ns = 0;
  performed = 0;
  pairs.clear();
  late_ns.clear();
  limits_over.clear();
  left_out.clear();
  gathered.assign(order == Order::role && roles.gathers != nullptr ? roles.gathers->size() : 0, 0);
  result = {};
  const std::uint32_t count = history.process_count();
  processes.assign(count, {});
  machines.resize(costs.machine_count());
  for (std::uint32_t m = 0; m < machines.size(); ++m) machines[m].clear(costs.cores(m), slice_ns);
  completions.reset(machines.size());
  arrivals.reset(count);
  if (order == Order::recorded) {
    arrival_ns.assign(history.events.size(), kArrivalUnknown);
  } else {
    queues.resize(count);
    for (auto& queue : queues) queue.clear();
    const bool any_outside = std::find(takes_outside.begin(), takes_outside.end(), 1) != takes_outside.end();
    received.assign(any_outside ? history.events.size() : 0, 0);
  }
  if (keep_schedule) result.schedule.emplace(history.events.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    Process& process = processes[p];
    process.cursor = process.first_open = history.first_event[p];
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
      if (has_timers) {
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
  const bool in_task = order == Order::role && !task_of.empty() && task_of[event.match] != kNoEvent;
  const std::uint32_t by = in_task ? performer[task_of[event.match]] : Roles::kNone;
  return by == Roles::kNone ? event.peer : by;  // the trace may answer what was not asked yet
}

void Replay::State::send(std::uint32_t p, std::uint32_t number) {
  const HistoryEvent& event = history.events[number];
  Process& process = processes[p];
  const std::uint32_t receiver = receiver_of(p, number);
  process.sent_at_ns = now_ns;
  wanted.sent(p, process, receiver);  // whether it arrives or not
  const std::int64_t now = whole_ns(now_ns);
  std::int64_t arrival = now;
  if (receiver != kNoPeer) arrival = pairs.arrive(p, receiver, now + costs.delivery_ns(event, p, receiver));
  if (event.match != kNoEvent) {
    if (!replicas.empty()) replicas.sent(p, event);
    if (order == Order::role) destinations.sent(p, number, receiver);
    if (receiver != p) buffers.sent(event);
    deliver(receiver, {arrival, p, process.sent++, number, event.match});
  } else if (!timers.late_answers.empty() && timers.late_answers.contains(number)) {
    come_late(number, arrival);
  } else if (const auto arc = external_from.find(number); arc != external_from.end()) {
    deliver(p, {now + static_cast<std::int64_t>(arc->second.elapsed_ns), event.peer, 0, number, arc->second.to});
  }
}

void Replay::State::deliver(std::uint32_t receiver, const ArrivingMessage& message) {
  Process& process = processes[receiver];
  const double key = std::max(static_cast<double>(message.arrival_ns), now_ns);
  if (order == Order::recorded) {
    arrival_ns[message.receive] = message.arrival_ns;
    if (process.waiting && process.waited && process.cursor == message.receive)
      arrivals.set(receiver, wake_for(receiver, message, key));
    return;
  }
  if (!limits_over.empty() && limits_over.contains(message.receive)) return;  // an answer that is too late
  queues[receiver].push(message);
  const bool looking =
      process.waiting && process.waited && !stands_at_wait(receiver) && wanted.includes(receiver, process, message);
  if (looking && key < arrivals.key_of(receiver)) arrivals.set(receiver, wake_for(receiver, message, key));
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
  const std::uint32_t event = timers.late_answers.at(send), p = history.events[send].peer;
  const double at_ns = std::max(static_cast<double>(arrival), now_ns);
  late_ns[event] = at_ns;
  const Process& process = processes[p];
  if (process.cursor == event && process.waiting && at_ns < arrivals.key_of(p)) arrivals.set(p, at_ns);
}

void Replay::State::go_to_the_end() {
  go();
  result.left_out = left_out.empty() ? 0 : count_left_out(history, left_out);
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
  if (!state.left_out.empty() && state.result.not_performed > 0) {
    state.leaves_out = false;
    state.begin(order, machine_of, keep_schedule);
    state.go_to_the_end();
  }
  return std::move(state.result);
}

// ---- which message a process takes

// Takes the message that the process waits for, if it has arrived; otherwise arranges that the process is woken.
bool Replay::State::receive(std::uint32_t p) {
  const bool taken = order == Order::recorded ? receive_recorded(p) : receive_arrived(p);
  if (!taken) processes[p].waiting = processes[p].waited = true;
  return taken;
}

bool Replay::State::receive_recorded(std::uint32_t p) {
  Process& process = processes[p];
  const HistoryEvent& event = history.events[process.cursor];
  const std::int64_t arrival = arrival_ns[process.cursor];
  process.taken_from = event.peer;
  process.taken_send = event.match;
  if (event.match == kNoEvent) {
    const auto arc = external_to.find(process.cursor);
    if (arc == external_to.end()) return true;
    process.taken_send = arc->second.from;
  }
  if (arrival == kArrivalUnknown) return false;
  if (static_cast<double>(arrival) <= now_ns) return true;
  arrivals.set(p, static_cast<double>(arrival));
  return false;
}

bool Replay::State::receive_arrived(std::uint32_t p) {
  Process& process = processes[p];
  if (takes_outside[p]) {
    const std::uint32_t outside = next_from_outside(p);
    if (outside != kNoEvent) {
      take_outside(p, outside);
      return true;
    }
  }
  ArrivedMessages& queue = queues[p];
  const bool any = wanted.takes_any(p, process);
  const std::size_t at =
      any ? queue.first()
          : queue.first_of([&](const ArrivingMessage& message) { return wanted.includes(p, process, message); });
  if (at == ArrivedMessages::kNothing) return false;
  const auto arrival = static_cast<double>(queue[at].arrival_ns);
  if (arrival > now_ns) {
    arrivals.set(p, arrival);
    return false;
  }
  take(p, queue.take(at));
  return true;
}

// The RECEIVE from outside that is due next, or kNoEvent.
std::uint32_t Replay::State::next_from_outside(std::uint32_t p) {
  Process& process = processes[p];
  const std::uint32_t end = history.first_event[p + 1];
  const auto open = [&](std::uint32_t e) { return history.events[e].kind() == HistoryKind::receive && !received[e]; };
  std::uint32_t& first = process.first_open;
  while (first < end && !open(first)) ++first;
  const auto is_outside = [&](std::uint32_t e) { return from_outside(history.events[e]) && !external_to.contains(e); };
  if (process.takes_outside) {
    for (std::uint32_t e = first; e < end; ++e) {
      if (open(e) && is_outside(e)) return e;
    }
  }
  return first < end && is_outside(first) && wanted.includes_outside(p, process, first) ? first : kNoEvent;
}

void Replay::State::take_outside(std::uint32_t p, std::uint32_t event) {
  Process& process = processes[p];
  process.cursor = event;
  process.source = p;
  process.taken_send = kNoEvent;
  process.taken_from = history.events[event].peer;
  process.redirect_from = process.redirect_to = kNoPeer;
  process.takes_outside = process.takes_any = false;
  received[event] = 1;
}

void Replay::State::take(std::uint32_t p, const ArrivingMessage& message) {
  Process& process = processes[p];
  const HistoryEvent& sent = history.events[message.send];
  wanted.received(p, process, message.sender);
  process.taken_send = message.send;
  process.taken_from = message.sender;
  if (order == Order::role) destinations.received(p, message.sender);
  process.redirect_from = process.redirect_to = kNoPeer;
  process.takes_any = false;
  if (order == Order::role && !counted.empty() && counted[message.receive] != 0) {
    DPM_CHECK(process.next_handout < handouts[p].size());  // as many as were sent
    const Handout& handout = handouts[p][process.next_handout++];
    process.cursor = handout.receive;
    process.source = p;
    if (handout.kind == Handout::Kind::answer) {
      process.redirect_from = history.events[process.cursor].peer;
      process.redirect_to = message.sender;
    }
  } else {
    process.cursor = begun_by(message);
    process.source = sent.match == kNoEvent ? p : sent.peer;
    if (!performer.empty()) performer[process.cursor] = p;
    process.work_factor = work_factor(p);
  }
  if (!received.empty()) received[process.cursor] = 1;
  if (has_timers && timers.limits_ns.contains(process.cursor)) limits_over.insert(process.cursor);
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
    if (!queues[p].empty() && (first == Roles::kNone || queues[p][0] < queues[first][0])) first = p;
    if (outside == Roles::kNone && takes_outside[p]) {
      processes[p].takes_outside = true;
      if (next_from_outside(p) != kNoEvent) outside = p;
      processes[p].takes_outside = outside == p;
    }
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
  const auto timer = timers.waits_ns.find(process.cursor);
  if (timer == timers.waits_ns.end() || std::exchange(process.timer_over, true)) return false;
  double end_ns = now_ns + static_cast<double>(timer->second);
  process.timer_end_ns = end_ns;
  if (const auto late = late_ns.find(process.cursor); late != late_ns.end()) end_ns = std::min(end_ns, late->second);
  if (end_ns <= now_ns) return false;
  process.waiting = true;
  process.waited = false;
  arrivals.set(p, end_ns);
  return true;
}

// Whether process `p` stands before a retry that it does not need: the answer has come before its timer ended. It goes on where
// it did after the answer to the retry.
bool Replay::State::leaves_out_retry(std::uint32_t p) {
  if (!leaves_out || order == Order::recorded) return false;
  Process& process = processes[p];
  const auto retry = timers.retries.find(process.cursor);
  if (retry == timers.retries.end() || process.source != p || has_role(p)) return false;
  const auto late = late_ns.find(process.cursor);
  if (late == late_ns.end() || late->second >= process.timer_end_ns) return false;
  left_out.emplace_back(retry->first, retry->second);
  process.cursor = retry->second;
  process.timer_over = true;  // of the event after the last of the retries, if that was given up
  return true;
}

// Whether process `p` no longer waits for the answer to its call. The answer is dropped when it comes.
bool Replay::State::give_up(std::uint32_t p) {
  Process& process = processes[p];
  if (order == Order::recorded || process.phase != Phase::ready || process.source != p) return false;
  if (has_role(p)) return false;
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
