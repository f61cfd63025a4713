// Which message a process of a replay takes.
#include "analysis/history/replay_state.hpp"
#include "model/check.hpp"

namespace dpm {

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

double Replay::State::work_factor(std::uint32_t p) const {
  const Process& process = processes[p];
  if (order != Order::role || destinations.empty() || process.source == p) return 1;
  const std::uint32_t piece = task_of[process.cursor] == kNoEvent ? process.cursor : task_of[process.cursor];
  return destinations.work_factor(piece, process.source, p);
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
    process.cursor = message.receive;
    process.source = sent.match == kNoEvent ? p : sent.peer;
    if (!performer.empty()) performer[process.cursor] = p;
    process.work_factor = work_factor(p);
  }
  if (!received.empty()) received[process.cursor] = 1;
  if (timers.limits_ns.contains(process.cursor)) limits_over.insert(process.cursor);
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

}  // namespace dpm
