#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/history/circles.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/history_build.hpp"
#include "analysis/history/history_parts.hpp"
#include "model/check.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

// While the meter handles a call, the process is not idle, although its CPU time does not advance.
constexpr std::uint64_t kLookNs = 10'000;

std::uint32_t peer_bits(ProcessId process) { return process.is_none() ? kNoPeer : process.value; }

std::uint64_t pair_key(ProcessId a, ProcessId b) { return (static_cast<std::uint64_t>(a.value) << 32) | b.value; }

}  // namespace

ProcessBuild& HistoryBuild::process_of(ProcessId id) {
  ProcessBuild& process = processes[id.value];
  if (!process.known) {
    process.known = true;
    const ProcessInfo& described = info->processes[id.value];
    const auto& only = computation.only;
    process.included =
        computation.all_processes ||
        (only.empty() ? described.in_computation : std::find(only.begin(), only.end(), described.name) != only.end());
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
  process.seen = true;
  if (!process.included) return;

  if (process.machine.is_none()) process.machine = event.machine;
  if (event.machine != process.machine) ++moved, process.machine = event.machine;
  if (event.proc_time_ns < process.proc_time_ns) ++backward_clocks;
  process.proc_time_ns = std::max(process.proc_time_ns, event.proc_time_ns);
  if (event.has_ready_time()) process.ready_time_ns = event.ready_time_ns;
  if (event.proc_time_ns > 0) any_proc_time = true;
  note_lifetime(event, process);

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

void HistoryBuild::note_lifetime(const Event& event, ProcessBuild& process) const {
  LocalLifetime& lifetime = process.lifetime;
  if (!lifetime.seen) {
    // What it did before it was acquired is not known, so its CPU time until then is work of no event.
    if (info->processes[event.process.value].acquired) process.at_last_node_ns = event.proc_time_ns;
    lifetime = {event.local_time, event.local_time, event.machine, true};
  }
  if (event.machine == lifetime.machine) lifetime.last = std::max(lifetime.last, event.local_time);
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

// Appends the event, and joins it to its other end if that has been seen. A second copy of an end that still waits is
// dropped.
// Its other end is in another part of the trace.
void HistoryBuild::cross(const Event& event, MessageEnd end) {
  const bool receives_it = end == MessageEnd::receive;
  ProcessBuild& process = processes[event.process.value];
  const std::uint32_t index =
      append(event, process, receives_it ? HistoryKind::receive : HistoryKind::send, ArcKind::missing);
  const ProcessId sender = receives_it ? event.peer : event.process;
  const bool inferred = event.evidence == Evidence::inferred;
  crossing.add(event.peer, {{event.sequence, sender.value, event.channel.value},
                            receives_it ? process.idle_since_ns : event.local_time.ns,
                            event.process.value,
                            index,
                            process.machine,
                            receives_it,
                            inferred});
  if (inferred) process.events[index].arc_bits = static_cast<std::uint32_t>(ArcKind::inferred) & 7u;
}

void HistoryBuild::match(const Event& event, MessageEnd end) {
  if (crossing.is_elsewhere(event.peer)) return cross(event, end);
  const ProcessId sender = end == MessageEnd::send ? event.process : event.peer;
  const MessageKey key{event.sequence, sender.value, event.channel.value};
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

Result<void> HistoryBuild::check_names() const {
  std::vector<std::string> names;
  for (const auto& process : history.info.processes) names.push_back(process.name);
  for (const auto& name : computation.only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return Error{fmt::format("no process '{}' in the trace{}", name, did_you_mean(name, names))};
    }
  }
  return {};
}

// Gives every process its place: a `start` if it was created and none was metered, its events, and an `end`.
void HistoryBuild::lay_out() {
  const auto there = [this](std::uint32_t p) { return processes[p].included && processes[p].seen; };
  end_waits.plan(history.info.processes, there, [this](std::uint32_t p) { return processes[p].ended; });
  auto& first = history.first_event;
  first.assign(1, 0);
  std::uint64_t total = 0;
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    const ProcessBuild& process = processes[p];
    if (there(p)) {
      const bool needs_start = process.created_at != kNoEvent && !process.starts_with_start;
      total += process.events.size() + (needs_start ? 1 : 0) + end_waits.nodes_before_end(p) + 1;
    }
    if (total >= kNoEvent) {
      refused = "the trace has more than 4 billion events; analyse a part of it";
      return;
    }
    first.push_back(static_cast<std::uint32_t>(total));
  }
  history.events.reserve(total);
}

// The index of its first event of the trace: after a `start` that is not in the trace.
std::uint32_t HistoryBuild::first_traced(std::uint32_t process) const {
  const ProcessBuild& build = processes[process];
  return history.first_event[process] + (build.created_at != kNoEvent && !build.starts_with_start ? 1 : 0);
}

void HistoryBuild::copy_events() {
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    ProcessBuild& process = processes[p];
    LocalLifetime& lifetime = history.local_lifetimes.emplace_back(process.lifetime);
    const bool one_clock = process.created_by != kNoPeer && processes[process.created_by].machine == lifetime.machine;
    if (lifetime.seen && one_clock) lifetime.first = std::min(lifetime.first, process.creation);
    LocalSpan& span = history.local_spans.emplace_back(process.span);
    if (span.first_event != kNoEvent) span.first_event += first_traced(p), span.last_event += first_traced(p);
    if (!process.included || !process.seen) continue;
    if (process.created_at != kNoEvent && !process.starts_with_start) {
      HistoryEvent start;
      start.kind_bits = static_cast<std::uint32_t>(HistoryKind::start) & 7u;
      history.events.push_back(start);
    }
    for (const auto& [event, calls] : process.calls_between)
      history.calls_between.push_back({static_cast<std::uint32_t>(history.events.size()) + event, calls});
    for (UnmetWait wait : process.unmet_waits) {
      wait.event += static_cast<std::uint32_t>(history.events.size());
      history.unmet_waits.push_back(wait);
    }
    process.events.consume([&](HistoryEvent& event) {
      if (event.match != kNoEvent) event.match += first_traced(event.peer);
      history.events.push_back(event);
    });
    const std::uint64_t left_ns = process.proc_time_ns - process.at_last_node_ns;
    HistoryEvent end;
    end.cpu_ns = end_waits.append(p, left_ns, history.events) ? 0 : left_ns;
    end.kind_bits = static_cast<std::uint32_t>(HistoryKind::end) & 7u;
    end.channel = process.waiting_set;
    history.events.push_back(end);
  }
}

void HistoryBuild::join_created() {
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    const ProcessBuild& process = processes[p];
    if (process.created_at == kNoEvent || !process.seen) continue;
    const std::uint32_t create = first_traced(process.created_by) + process.created_at;
    const std::uint32_t start = history.first_event[p];
    const auto proven = static_cast<std::uint32_t>(ArcKind::proven) & 7u;
    history.events[create].match = start;
    history.events[create].arc_bits = proven;
    history.events[start].match = create;
    history.events[start].peer = process.created_by & kNoPeer;
    history.events[start].arc_bits = proven;
  }
}

void HistoryBuild::join_waits() {
  end_waits.join(history.events, [this](const EndWaits::Wait& wait) { return first_traced(wait.waiter) + wait.event; });
}

void HistoryBuild::place_external_arcs() {
  for (std::size_t i = 0; i < external_arcs.size(); ++i) {
    const std::uint32_t base = first_traced(external_owner[i].value);
    external_arcs[i].from += base;
    external_arcs[i].to += base;
  }
  std::sort(external_arcs.begin(), external_arcs.end(),
            [](const ExternalArc& a, const ExternalArc& b) { return a.to < b.to; });
  history.external_arcs = std::move(external_arcs);
}

// An end without its other end is `outside` if the other process was never metered; otherwise it is `missing` and
// counted.
void HistoryBuild::classify_open_ends() {
  for (auto& event : history.events) {
    const HistoryKind kind = event.kind();
    const bool message = kind == HistoryKind::send || kind == HistoryKind::receive;
    if (event.match != kNoEvent || event.arc() == ArcKind::outside || event.arc() == ArcKind::none) continue;
    const bool peer_metered = event.peer < processes.size() && processes[event.peer].seen;
    event.arc_bits = static_cast<std::uint32_t>(peer_metered ? ArcKind::missing : ArcKind::outside) & 7u;
    history.waits_without_waker += kind == HistoryKind::wait;
    if (!message || !peer_metered) continue;
    ++(kind == HistoryKind::send ? history.sends_without_receive : history.receives_without_send);
  }
}

std::int64_t HistoryBuild::late_by(std::uint32_t event) const {
  const std::uint32_t p = history.owner_of(event).value;
  const auto late = processes[p].late_sends.find(event - first_traced(p));
  return late == processes[p].late_sends.end() ? 0 : late->second;
}

void HistoryBuild::add_warnings(const LossReport& losses) {
  auto& warnings = history.warnings;
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  if (losses.lost() > 0)
    warnings.push_back(count(losses.lost()) + " events were lost on the way; what they did is missing");
  if (history.receives_without_send > 0) {
    warnings.push_back(
        count(history.receives_without_send) +
        " messages were received whose SEND is not in the trace: their receivers are assumed not to have waited");
  }
  if (history.circles > 0) {
    warnings.push_back(fmt::format(
        "the trace contradicts itself: {} messages are received before they are sent, and left out, so that nothing "
        "waits for them. Was it put together from different runs, or are message numbers wrong?",
        count(history.circles)));
  }
  if (history.waits_without_waker > 0) {
    warnings.push_back(count(history.waits_without_waker) +
                       " waits are for processes that are not in the trace: nothing waits for them here");
  }
  if (end_waits.without_end() > 0) {
    warnings.push_back(count(end_waits.without_end()) +
                       " waits are for processes whose end is not in the trace: CPU time after what they did last is "
                       "missing");
  }
  if (duplicates > 0) warnings.push_back(count(duplicates) + " events came twice; the second copy was left out");
  if (backward_clocks > 0) {
    warnings.push_back(count(backward_clocks) +
                       " events have an earlier PROCTIME than the one before; no time was counted");
  }
  if (moved > 0) {
    warnings.push_back(fmt::format(
        "processes changed machines {} times; each is analysed as if it had stayed where it started", count(moved)));
  }
  if (!any_proc_time) {
    warnings.push_back("no event carries PROCTIME, so no CPU time is known: let the filter keep the field procTime");
  }
}

HistoryBuilder::HistoryBuilder(Computation computation)
    : state_(std::make_unique<HistoryBuild>()), parts_(std::make_unique<HistoryParts>(*state_)) {
  state_->computation = std::move(computation);
}

HistoryBuilder::~HistoryBuilder() = default;

void HistoryBuilder::on_begin(const TraceInfo& info) { state_->info = &info; }

void HistoryBuilder::on_events(std::span<const Event> batch) {
  DPM_CHECK(state_->info != nullptr);
  for (const auto& event : batch) {
    if (!state_->refused.empty()) return;
    state_->add(event);
  }
}

void HistoryBuilder::on_end(const LossReport& losses) {
  HistoryBuild& state = *state_;
  DPM_CHECK(state.info != nullptr && !state.ended);
  state.ended = true;
  state.matcher = MessageMatcher();  // ends that still wait are found again as events without `match`
  state.history.info = *state.info;
  state.processes.resize(std::max(state.processes.size(), state.info->processes.size()));
  if (state.refused.empty()) state.lay_out();
  if (!state.refused.empty()) return;
  state.copy_events();
  state.join_created();
  state.join_waits();
  state.place_external_arcs();
  state.classify_open_ends();
  state.history.circles = break_circles(state.history, [&](std::uint32_t event) { return state.late_by(event); });
  state.add_warnings(losses);
  auto& described = state.history.info.processes;
  for (std::uint32_t p = 0; p < described.size(); ++p) described[p].in_computation = state.is_included(ProcessId{p});
  state.info = nullptr;
}

Result<History> HistoryBuilder::take() {
  HistoryBuild& state = *state_;
  DPM_CHECK(state.ended);
  if (!state.refused.empty()) return Error{state.refused};
  if (auto names = state.check_names(); !names) return names.error();
  if (state.sends == 0 && state.end_waits.count() > 0) return std::move(state.history);
  if (state.sends == 0 && state.receives == 0) {
    return Error{"the trace has no SEND and no RECEIVE of the computation: meter them (flags send,receive)"};
  }
  if (state.sends == 0) {
    return Error{fmt::format(
        "the trace has {} RECEIVEs of the computation but no SEND: meter send as well, and let the rules keep it",
        state.receives)};
  }
  return std::move(state.history);
}

// ---- parts of a trace

void HistoryBuilder::divide(const Shares& shares) { state_->crossing.divide(shares); }

void HistoryBuilder::put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) {
  state_->processes.resize(std::max(state_->processes.size(), state_->info->processes.size()));
  round == 0 ? parts_->put_open_sends(shares, for_part) : parts_->put_answers(for_part);
}

void HistoryBuilder::take_from(const Shares& /*shares*/, int round, std::uint32_t part, ByteReader& in) {
  round == 0 ? parts_->take_open_sends(part, in) : parts_->take_answers(part, in);
}

void HistoryBuilder::give(ByteWriter& out) { parts_->give(out); }
void HistoryBuilder::take(ByteReader& in) { parts_->take(in); }

bool HistoryBuilder::is_divisible() const {
  const HistoryBuild& build = *state_;
  return build.is_divisible && build.moved == 0 && build.duplicates == 0 && build.history.circles == 0 &&
         build.refused.empty();
}

}  // namespace dpm
