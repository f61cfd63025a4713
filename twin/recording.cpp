#include "twin/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/history/message_matcher.hpp"
#include "model/check.hpp"
#include "model/metered_cpu.hpp"
#include "twin/idle_times.hpp"

namespace dpm::twin {
namespace {

// Shorter times without CPU time show nothing: a real machine's disks, interrupts and other programs need some.
constexpr std::int64_t kShortestIdleScriptedNs = 1'000;
constexpr std::int64_t kShortestIdleLiveNs = 10'000'000;

// The call that a process is in, and its CPU time so far.
struct OpenCall {
  MeteredCpu cpu;
  std::uint64_t used_ns = 0;  // by `cpu`, at its latest event
  std::uint64_t at_last_operation_ns = 0;
  std::uint32_t set = kNone;
  std::int64_t called_ns = 0;
};

}  // namespace

bool ProcessRecord::speaks_first() const {
  const auto first = std::find_if(operations.begin(), operations.end(),
                                  [](const Operation& operation) { return operation.what != Passes::beginning; });
  return first != operations.end() && first->kind != OperationKind::receive;
}

struct RecordingSink::State {
  const TraceInfo* info = nullptr;
  Recording recording;
  std::optional<IdleTimes> idle;
  std::vector<OpenCall> open_calls;
  MessageMatcher matcher;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> lasted;  // by machine: first and last event
  struct ChildOperation {
    std::uint32_t process = kNone, operation = kNone, child = kNone;
  };
  std::vector<ChildOperation> creations, ends;  // SENDs of creators, RECEIVEs of waiters, until the end of the trace
  bool ended = false;
  std::string refused;

  void add(const Event& event);
  void add_of_type(const Event& event, ProcessRecord& record, OpenCall& open_call);
  void note_time(const Event& event);
  void add_operation(const Event& event, OperationKind kind);
  void join(const Event& event, MessageEnd end, std::uint32_t index);
  void add_link(const Event& event, OperationKind kind, Passes what, std::vector<ChildOperation>& links);
  void join_creations();
  void join_ends();
  void classify_open_ends();
};

void RecordingSink::State::add(const Event& event) {
  ++recording.events;
  if (event.process.is_none()) return;
  if (recording.records.size() < info->processes.size()) {
    recording.records.resize(info->processes.size());
    open_calls.resize(info->processes.size());
  }
  if (event.process.value >= recording.records.size()) {
    refused = fmt::format("an event names process number {}, which the trace does not describe", event.process.value);
    return;
  }
  if (info->processes[event.process.value].in_computation) note_time(event);
  ProcessRecord& record = recording.records[event.process.value];
  OpenCall& open_call = open_calls[event.process.value];
  if (!record.metered) {
    record.metered = true;
    record.machine = event.machine;
  }
  record.waits_at_end =
      event.type == EventType::receive_call || (record.waits_at_end && event.type == EventType::message_queued);
  open_call.cpu.add(event);
  open_call.used_ns = open_call.cpu.used_ns(was_acquired(*info, event.process));
  if (!idle) idle.emplace(info->properties.scripted ? kShortestIdleScriptedNs : kShortestIdleLiveNs);
  idle->add(event, open_call.used_ns, record.operations.size());
  add_of_type(event, record, open_call);
}

void RecordingSink::State::add_of_type(const Event& event, ProcessRecord& record, OpenCall& open_call) {
  switch (event.type) {
    case EventType::send:
      if (event.flags & event_flags::kNoMessage) return;
      return add_operation(event,
                           event.flags & event_flags::kKernelMessage ? OperationKind::move : OperationKind::send);
    case EventType::receive_call:
      open_call.set = event.code;
      open_call.called_ns = event.local_time.ns;
      return;
    case EventType::receive:
      if (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) {
        open_call.set = kNone;
        return;
      }
      return add_operation(event, OperationKind::receive);
    case EventType::create_process:
      ++recording.created;
      return add_link(event, OperationKind::send, Passes::beginning, creations);
    case EventType::wait:
      if (event.code == static_cast<std::uint32_t>(WaitKind::process_end) ||
          event.code == static_cast<std::uint32_t>(WaitKind::thread_end))
        add_link(event, OperationKind::receive, Passes::end, ends);
      return;
    case EventType::destroy_process:
      record.ended = event.peer == event.process;  // otherwise another process, or the end of the run, ended it
      return;
    default:
      return;  // its PROCTIME has been noted
  }
}

void RecordingSink::State::note_time(const Event& event) {
  const std::int64_t now = event.local_time.ns;
  auto& [first, last] = lasted.try_emplace(event.machine.value, now, now).first->second;
  first = std::min(first, now);
  last = std::max(last, now);
}

void RecordingSink::State::add_operation(const Event& event, OperationKind kind) {
  ProcessRecord& record = recording.records[event.process.value];
  OpenCall& open_call = open_calls[event.process.value];
  Operation operation;
  operation.kind = kind;
  operation.code = event.code;
  operation.bytes = event.length_bytes;
  operation.time_ns = event.local_time.ns;
  operation.cpu_ns = open_call.used_ns - std::exchange(open_call.at_last_operation_ns, open_call.used_ns);
  if (!event.peer.is_none() && event.peer.value < recording.records.size()) operation.peer = event.peer.value;
  if (!event.channel.is_none()) operation.channel = event.channel.value;
  if (kind == OperationKind::receive) {
    operation.set = open_call.set;
    operation.called_ns = open_call.called_ns;
  }
  open_call.set = kNone;
  record.operations.push_back(operation);
  const auto index = static_cast<std::uint32_t>(record.operations.size() - 1);
  if (kind == OperationKind::send) join(event, MessageEnd::send, index);
  if (kind == OperationKind::receive) join(event, MessageEnd::receive, index);
}

// Not in a scripted run: there a process starts when its creator's messages, which are in the trace, tell it to.
void RecordingSink::State::add_link(const Event& event, OperationKind kind, Passes what,
                                    std::vector<ChildOperation>& links) {
  const bool known =
      !event.peer.is_none() && event.peer.value < recording.records.size() && event.peer != event.process;
  if (info->properties.scripted || !known) return;
  ProcessRecord& record = recording.records[event.process.value];
  OpenCall& open_call = open_calls[event.process.value];
  Operation operation;
  operation.kind = kind;
  operation.what = what;
  operation.peer = event.peer.value;
  operation.time_ns = event.local_time.ns;
  operation.cpu_ns = open_call.used_ns - std::exchange(open_call.at_last_operation_ns, open_call.used_ns);
  links.push_back({event.process.value, static_cast<std::uint32_t>(record.operations.size()), event.peer.value});
  record.operations.push_back(operation);
}

// Every created process begins by receiving its creation.
void RecordingSink::State::join_creations() {
  std::set<std::uint32_t> created_before;
  for (const ChildOperation& link : creations) {
    ProcessRecord& child = recording.records[link.child];
    if (!child.metered || !created_before.insert(link.child).second) continue;
    Operation first;
    first.kind = OperationKind::receive;
    first.what = Passes::beginning;
    first.peer = link.process;
    first.time_ns = recording.records[link.process].operations[link.operation].time_ns;
    child.operations.insert(child.operations.begin(), first);
    for (Operation& operation : child.operations)
      if (operation.peer == link.child && operation.match != kNone) ++operation.match;  // to itself
    for (std::uint32_t i = 1; i < child.operations.size(); ++i) {
      const Operation& operation = child.operations[i];
      if (operation.match != kNone && operation.peer != link.child)
        recording.records[operation.peer].operations[operation.match].match = i;
    }
    for (std::vector<ChildOperation>* links : {&creations, &ends})
      for (ChildOperation& other : *links)
        if (other.process == link.child) ++other.operation;
    child.operations.front().match = link.operation;
    recording.records[link.process].operations[link.operation].match = 0;
  }
}

// A process whose end is waited for sends it as its last operation.
void RecordingSink::State::join_ends() {
  std::set<std::uint32_t> awaited;
  for (const ChildOperation& link : ends) {
    ProcessRecord& child = recording.records[link.child];
    if (!child.metered || !awaited.insert(link.child).second) continue;
    Operation last;
    last.what = Passes::end;
    last.peer = link.process;
    last.match = link.operation;
    last.time_ns = recording.records[link.process].operations[link.operation].time_ns;
    last.cpu_ns = std::exchange(child.tail_cpu_ns, 0);
    last.idle = std::exchange(child.tail_idle, {});
    recording.records[link.process].operations[link.operation].match =
        static_cast<std::uint32_t>(child.operations.size());
    child.operations.push_back(last);
  }
}

void RecordingSink::State::join(const Event& event, MessageEnd end, std::uint32_t index) {
  const ProcessId sender = end == MessageEnd::send ? event.process : event.peer;
  if (sender.is_none()) return;
  const MessageKey key = message_key(event);
  auto* other = matcher.find(key);
  if (other == nullptr) {
    matcher.insert(key, end, event.process.value, index);
    return;
  }
  if (static_cast<MessageEnd>(other->end) == end) return;  // a second copy of an end
  Operation& here = recording.records[event.process.value].operations[index];
  Operation& there = recording.records[other->process].operations[other->index];
  here.match = other->index;
  here.peer = other->process;
  there.match = index;
  there.peer = event.process.value;
  if (here.code == 0) here.code = there.code;
  there.code = here.code;
  matcher.erase(other);
  ++recording.messages;
}

void RecordingSink::State::classify_open_ends() {
  for (const ProcessRecord& record : recording.records) {
    for (const Operation& operation : record.operations) {
      if (operation.kind == OperationKind::move || operation.what != Passes::message || operation.match != kNone)
        continue;
      if (operation.peer == kNone) {
        ++recording.without_peer;
      } else if (recording.records[operation.peer].metered) {
        ++(operation.kind == OperationKind::send ? recording.sends_without_receive : recording.receives_without_send);
      }
    }
  }
}

RecordingSink::RecordingSink() : state_(std::make_unique<State>()) {}
RecordingSink::~RecordingSink() = default;

void RecordingSink::on_begin(const TraceInfo& info) { state_->info = &info; }

void RecordingSink::on_events(std::span<const Event> batch) {
  for (const Event& event : batch)
    if (state_->refused.empty()) state_->add(event);
}

void RecordingSink::on_end(const LossReport& losses) {
  State& state = *state_;
  state.ended = true;
  state.recording.losses = losses;
  if (state.info == nullptr) return;
  state.recording.info = *state.info;
  state.recording.records.resize(state.info->processes.size());
  for (std::size_t p = 0; p < state.open_calls.size(); ++p) {
    const OpenCall& open_call = state.open_calls[p];
    state.recording.records[p].tail_cpu_ns = open_call.used_ns - open_call.at_last_operation_ns;
  }
  for (const auto& [machine, times] : state.lasted)
    state.recording.elapsed_s =
        std::max(state.recording.elapsed_s, static_cast<double>(times.second - times.first) * 1e-9);
  if (state.idle) state.idle->write_into(state.recording);
  state.join_creations();
  state.join_ends();
  state.classify_open_ends();
}

Result<Recording> RecordingSink::take() {
  DPM_CHECK(state_->ended);
  if (!state_->refused.empty()) return Error{state_->refused};
  const Recording& recording = state_->recording;
  if (recording.events == 0) return Error{"the trace is empty: there is nothing to make a twin of"};
  bool any_message = false, any_with_peer = false;
  for (const ProcessRecord& record : recording.records) {
    for (const Operation& operation : record.operations) {
      if (operation.what != Passes::message) continue;
      any_message = any_message || operation.kind != OperationKind::move;
      any_with_peer = any_with_peer || (operation.kind != OperationKind::move && operation.peer != kNone);
    }
  }
  if (!any_message)
    return Error{"the trace has no SEND and no RECEIVE: meter both, or there is no behaviour to make a twin of"};
  if (!any_with_peer ||
      (recording.messages == 0 && recording.sends_without_receive + recording.receives_without_send > 0))
    return Error{"no SEND of the trace has its RECEIVE in it: without matched messages there is no twin"};
  return std::move(state_->recording);
}

}  // namespace dpm::twin
