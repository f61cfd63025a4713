#include "analysis/history/history_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/metered_cpu.hpp"
#include "model/process_names.hpp"

namespace dpm {
namespace {

// Shorter pauses are the rounding of clocks.
constexpr std::uint64_t kPauseNs = 10'000;

std::uint32_t peer_bits(ProcessId process) { return process.is_none() ? kNoPeer : process.value; }

std::uint64_t pair_key(ProcessId a, ProcessId b) { return (static_cast<std::uint64_t>(a.value) << 32) | b.value; }

}  // namespace

ProcessBuild& HistoryBuild::process_of(ProcessId id) {
  ProcessBuild& process = processes[id.value];
  if (!process.known) {
    process.known = true;
    const auto& only = computation.only;
    process.included = computation.all_processes ||
                       (only.empty() ? info->processes[id.value].in_computation : is_called_one_of(*info, id, only));
  }
  return process;
}

void HistoryBuild::add(const Event& event) {
  if (event.process.is_none()) return;
  if (processes.size() < info->processes.size()) processes.resize(info->processes.size());
  if (event.process.value >= std::min<std::size_t>(processes.size(), kNoPeer)) {
    refused = fmt::format(
        "an event names process number {}, but the trace describes only {} processes (and a graph holds at most 16 "
        "million)",
        event.process.value, processes.size());
    return;
  }
  ProcessBuild& process = process_of(event.process);
  process.seen = process.is_own = true;
  if (!process.included) return;

  if (process.machine.is_none()) process.machine = event.machine;
  if (event.machine != process.machine) ++moved, process.machine = event.machine;
  if (event.proc_time_ns < process.proc_time_ns) ++backward_clocks;
  // CPU time from before it was metered is work of no event.
  if (process.proc_time_ns == 0 && was_acquired(*info, event.process)) process.at_last_node_ns = event.proc_time_ns;
  process.proc_time_ns = std::max(process.proc_time_ns, event.proc_time_ns);
  if (event.has_ready_time()) process.ready_time_ns = event.ready_time_ns;
  if (event.proc_time_ns > 0) any_proc_time = true;
  note_lifetime(event, process);
  if (info->properties.scripted) note_pause(event, process);

  switch (event.type) {
    case EventType::send:
      return add_send(event, process);
    case EventType::receive:
      return add_receive(event, process);
    case EventType::create_process:
      return add_create(event, process);
    case EventType::start_process:
      return add_start(event, process);
    case EventType::receive_call:
      history.receive_calls_metered = true;
      process.found_nothing(event);
      process.waiting_set = event.code;
      process.asked_at = event.local_time;
      process.asked_proc_time_ns = event.proc_time_ns;
      process.ready_when_asked_ns = process.ready_time_ns;
      return;
    case EventType::wait:
      return add_wait(event, process);
    case EventType::destroy_process:
      // One that is destroyed while it waits does not go on.
      if (event.proc_time_ns > process.asked_proc_time_ns) process.found_nothing(event);
      process.ended = true;
      return;
    default:
      return;  // its PROCTIME has been noted
  }
}

void HistoryBuild::mark() {
  marked_.resize(processes.size());
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    const auto events = static_cast<std::uint32_t>(processes[p].events.size());
    if (events != std::exchange(marked_[p], events)) marks.push_back({p, events});
  }
}

void HistoryBuild::note_lifetime(const Event& event, ProcessBuild& process) const {
  LocalLifetime& lifetime = process.lifetime;
  if (!lifetime.seen) lifetime = {event.local_time, event.local_time, event.machine, true};
  if (event.machine == lifetime.machine) lifetime.last = std::max(lifetime.last, event.local_time);
}

// Not while it waits for a message, and not by events that happen to a process, such as the arrival of one.
void HistoryBuild::note_pause(const Event& event, ProcessBuild& process) {
  switch (event.type) {
    case EventType::send:
    case EventType::receive:
    case EventType::receive_call:
    case EventType::create_process:
    case EventType::start_process:
    case EventType::wait:
      break;
    default:
      return;
  }
  const bool goes_on = event.type != EventType::receive && event.type != EventType::start_process &&
                       event.type != EventType::wait && !process.asked_at;
  if (process.last_at && goes_on && event.local_time > *process.last_at) {
    const auto passed_ns =
        static_cast<std::uint64_t>(event.local_time.ns) - static_cast<std::uint64_t>(process.last_at->ns);
    const std::uint64_t used_ns = process.proc_time_ns - process.last_proc_time_ns;
    process.paused_ns += passed_ns > used_ns ? passed_ns - used_ns : 0;
  }
  process.last_at = event.local_time;
  process.last_proc_time_ns = process.proc_time_ns;
}

std::uint32_t HistoryBuild::append(const Event& event, ProcessBuild& process, HistoryKind kind, ArcKind arc) {
  HistoryEvent node;
  node.cpu_ns = process.proc_time_ns - process.at_last_node_ns;
  process.at_last_node_ns = process.proc_time_ns;
  node.length_bytes = event.length_bytes;
  node.peer = peer_bits(event.peer) & kNoPeer;
  node.kind_bits = static_cast<std::uint32_t>(kind) & 7u;
  node.arc_bits = static_cast<std::uint32_t>(arc) & 7u;
  if (kind == HistoryKind::receive) {
    process.forget_unmet_wait(static_cast<std::uint32_t>(process.events.size()));
    node.channel = process.waiting_set;
    node.waited = process.asked_at && event.local_time > *process.asked_at ? 1u : 0u;
    node.slept = node.waited;
    process.asked_at.reset();
    const auto last_ns = static_cast<std::uint64_t>(process.span.last.ns);  // damaged times must not overflow
    process.idle_since_ns = static_cast<std::int64_t>(last_ns + node.cpu_ns + kLookNs);
    const std::uint64_t ready_ns = process.ready_since(process.ready_at_last_node_ns);
    const auto idle_from_ns = static_cast<std::int64_t>(last_ns + node.cpu_ns + kLookNs + ready_ns);
    if (ready_ns > 0 && idle_from_ns >= event.local_time.ns) process.idle_since_ns = INT64_MAX;
  } else {
    node.channel = event.channel.is_none() ? 0 : event.channel.value;
  }
  process.ready_at_last_node_ns = process.ready_time_ns;
  if (kind != HistoryKind::start) {
    const auto index = static_cast<std::uint32_t>(process.events.size());
    if (process.span.first_event == kNoEvent) process.span.first = event.local_time, process.span.first_event = index;
    process.span.last = event.local_time;
    process.span.last_event = index;
  }
  const std::uint64_t paused_ns = std::exchange(process.paused_ns, 0);
  if (paused_ns >= kPauseNs) process.pauses.push_back({static_cast<std::uint32_t>(process.events.size()), paused_ns});
  if (process.calls_since_node > 0)
    process.calls_between.push_back(
        {static_cast<std::uint32_t>(process.events.size()), std::exchange(process.calls_since_node, 0)});
  process.events.push_back(node);
  return static_cast<std::uint32_t>(process.events.size() - 1);
}

void HistoryBuild::add_send(const Event& event, ProcessBuild& process) {
  process.found_nothing(event);  // the RECEIVECALL before this one
  process.waiting_set = 0;
  process.sent_at = event.local_time;
  if (event.flags & event_flags::kNoMessage) {
    ++process.calls_since_node;
    return;
  }
  if (event.flags & event_flags::kKernelMessage) {
    append(event, process, HistoryKind::move_data, ArcKind::none);
    return;
  }
  ++sends;
  const bool outside = !event.peer.is_none() && !is_included(event.peer);
  if (outside) {
    const std::uint32_t index = append(event, process, HistoryKind::send, ArcKind::outside);
    if (computation.external_time) remember_external(event, index);
    return;
  }
  match(event, MessageEnd::send);
}

void HistoryBuild::add_receive(const Event& event, ProcessBuild& process) {
  if (event.flags & event_flags::kKernelMessage) return;
  if (event.flags & event_flags::kNoMessage) {
    process.found_nothing(event);
    process.waiting_set = 0;
    return;
  }
  ++receives;
  if (!is_included(event.peer)) {
    const std::uint32_t index = append(event, process, HistoryKind::receive, ArcKind::outside);
    if (computation.external_time && !event.peer.is_none()) answer_external(event, index);
  } else {
    match(event, MessageEnd::receive);
  }
  process.waiting_set = 0;
}

// Appends the event, whose other end is in another part of the trace.
void HistoryBuild::cross(const Event& event, MessageEnd end) {
  const bool receives_it = end == MessageEnd::receive;
  ProcessBuild& process = processes[event.process.value];
  const std::uint32_t index =
      append(event, process, receives_it ? HistoryKind::receive : HistoryKind::send, ArcKind::missing);
  const bool inferred = event.evidence == Evidence::inferred;
  const LaneEnd lane_end{event.sequence, receives_it ? process.idle_since_ns : event.local_time.ns, index, inferred};
  if (receives_it) {
    crossing.add_receive(event.peer, event.process, event.channel, lane_end);
  } else {
    crossing.add_send(event.process, event.peer, event.channel, lane_end);
  }
  if (inferred) process.events[index].arc_bits = static_cast<std::uint32_t>(ArcKind::inferred) & 7u;
}

// Appends the event, and joins it to its other end if that has been seen. A second copy of an end that still waits is
// dropped.
void HistoryBuild::match(const Event& event, MessageEnd end) {
  if (crossing.is_elsewhere(event.peer)) return cross(event, end);
  const MessageKey key = message_key(event);
  auto* other = matcher.find(key);
  if (other != nullptr && static_cast<MessageEnd>(other->end) == end) {
    ++duplicates;
    return;
  }
  const HistoryKind kind = end == MessageEnd::send ? HistoryKind::send : HistoryKind::receive;
  const std::uint32_t index = append(event, processes[event.process.value], kind, ArcKind::missing);
  const std::int64_t time_ns =
      end == MessageEnd::send ? event.local_time.ns : processes[event.process.value].idle_since_ns;
  const bool inferred = event.evidence == Evidence::inferred;
  HistoryEvent& here = processes[event.process.value].events[index];
  if (other == nullptr) {
    matcher.insert(key, end, event.process.value, index, time_ns);
    if (inferred) here.arc_bits = static_cast<std::uint32_t>(ArcKind::inferred) & 7u;
    return;
  }
  HistoryEvent& there = processes[other->process].events[other->index];
  const bool any_inferred = inferred || there.arc() == ArcKind::inferred;
  here.arc_bits = there.arc_bits = static_cast<std::uint32_t>(any_inferred ? ArcKind::inferred : ArcKind::proven) & 7u;
  HistoryEvent& receive = end == MessageEnd::receive ? here : there;
  const bool one_clock = processes[event.process.value].machine == processes[other->process].machine;
  const bool came_later = end == MessageEnd::receive ? other->time_ns > time_ns : time_ns > other->time_ns;
  if (one_clock && came_later) receive.slept = 1;
  if (one_clock && end == MessageEnd::send && came_later)
    processes[other->process].late_sends[other->index] = time_ns - other->time_ns;
  here.match = other->index;
  here.peer = other->process & kNoPeer;  // a UNIX SEND does not know its receiver
  there.match = index;
  there.peer = event.process.value & kNoPeer;
  matcher.erase(other);
}

void HistoryBuild::add_create(const Event& event, ProcessBuild& process) {
  if (!is_included(event.peer)) {
    append(event, process, HistoryKind::create, ArcKind::outside);
    return;
  }
  const std::uint32_t index = append(event, process, HistoryKind::create, ArcKind::missing);
  ProcessBuild& created = processes[event.peer.value];
  if (created.created_at != kNoEvent) {
    ++duplicates;
    return;
  }
  created.creation = event.local_time;
  created.created_by = event.process.value;
  created.created_at = index;
}

void HistoryBuild::add_start(const Event& event, ProcessBuild& process) {
  // Only a first event is a beginning; later ones end a STOPPROCESS, which is not in the graph.
  if (process.events.size() > 0) return;
  append(event, process, HistoryKind::start, ArcKind::outside);
  process.starts_with_start = true;
}

// What it waited for may come later in the stream, or may have come.
void HistoryBuild::add_wait(const Event& event, ProcessBuild& process) {
  process.found_nothing(event);
  process.waiting_set = 0;
  const auto kind = static_cast<WaitKind>(event.code);
  const bool of_end = kind == WaitKind::process_end || kind == WaitKind::thread_end;
  if (!of_end || event.peer == event.process) return;
  const bool inside = is_included(event.peer);
  const std::uint32_t index = append(event, process, HistoryKind::wait, inside ? ArcKind::missing : ArcKind::outside);
  HistoryEvent& node = process.events[index];
  node.waited = event.sequence > 0 ? 1u : 0u;
  node.length_bytes = 0;
  if (inside)
    end_waits.add({event.process.value, index, event.peer.value, kind == WaitKind::thread_end,
                   event.evidence == Evidence::inferred});
}

void HistoryBuild::remember_external(const Event& event, std::uint32_t index) {
  pending_externals[pair_key(event.process, event.peer)] = {index, event.local_time};
}

// The last SEND to that process since its last answer: a RECEIVE without one came unasked.
void HistoryBuild::answer_external(const Event& event, std::uint32_t index) {
  const auto pending = pending_externals.find(pair_key(event.process, event.peer));
  if (pending == pending_externals.end()) return;
  const std::int64_t elapsed_ns = (event.local_time - pending->second.time).ns;
  external_arcs.push_back(
      {pending->second.send, index, static_cast<std::uint64_t>(std::max<std::int64_t>(elapsed_ns, 0))});
  external_owner.push_back(event.process);
  pending_externals.erase(pending);
}

}  // namespace dpm
