#include "twin/recording.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/history/message_matcher.hpp"
#include "model/check.hpp"

namespace dpm::twin {
namespace {

// What is under way in a process.
struct Present {
  std::uint64_t proc_time_ns = 0;
  std::uint64_t at_last_op_ns = 0;
  std::uint32_t set = kNone;
  std::int64_t called_ns = 0;
};

}  // namespace

bool Life::speaks_first() const {
  const auto first = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.what != Passes::beginning; });
  return first != ops.end() && first->kind != OpKind::receive;
}

struct Recorder::State {
  const TraceInfo* info = nullptr;
  Recording recording;
  std::vector<Present> presents;
  MessageMatcher matcher;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> lasted;  // by machine: first and last event
  struct Tie {
    std::uint32_t process = kNone, op = kNone, child = kNone;
  };
  std::vector<Tie> births, deaths;  // SENDs of creators, RECEIVEs of waiters, until the end of the trace
  bool ended = false;
  std::string refused;

  void add(const Event& event);
  void note_time(const Event& event);
  void add_op(const Event& event, OpKind kind);
  void join(const Event& event, MessageEnd end, std::uint32_t index);
  void add_tie(const Event& event, OpKind kind, Passes what, std::vector<Tie>& ties);
  void tie_births();
  void tie_deaths();
  void classify_open_ends();
};

void Recorder::State::add(const Event& event) {
  ++recording.events;
  if (event.process.is_none()) return;
  if (recording.lives.size() < info->processes.size()) {
    recording.lives.resize(info->processes.size());
    presents.resize(info->processes.size());
  }
  if (event.process.value >= recording.lives.size()) {
    refused =
        "an event names process number " + std::to_string(event.process.value) + ", which the trace does not describe";
    return;
  }
  if (info->processes[event.process.value].in_computation) note_time(event);
  Life& life = recording.lives[event.process.value];
  Present& present = presents[event.process.value];
  if (!life.metered) {
    life.metered = true;
    life.machine = event.machine;
    // Of a process that was acquired in its middle, what it did before is not known.
    if (info->processes[event.process.value].acquired) present.at_last_op_ns = event.proc_time_ns;
  }
  life.waits_at_end =
      event.type == EventType::receive_call || (life.waits_at_end && event.type == EventType::message_queued);
  present.proc_time_ns = std::max(present.proc_time_ns, event.proc_time_ns);
  switch (event.type) {
    case EventType::send:
      if (event.flags & event_flags::kNoMessage) return;
      return add_op(event, event.flags & event_flags::kKernelMessage ? OpKind::move : OpKind::send);
    case EventType::receive_call:
      present.set = event.code;
      present.called_ns = event.local_time.ns;
      return;
    case EventType::receive:
      if (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) {
        present.set = kNone;
        return;
      }
      return add_op(event, OpKind::receive);
    case EventType::create_process:
      ++recording.created;
      return add_tie(event, OpKind::send, Passes::beginning, births);
    case EventType::wait:
      if (event.code == static_cast<std::uint32_t>(WaitKind::process_end) ||
          event.code == static_cast<std::uint32_t>(WaitKind::thread_end))
        add_tie(event, OpKind::receive, Passes::end, deaths);
      return;
    case EventType::destroy_process:
      life.ended = event.peer == event.process;  // otherwise it was ended, with the run or by somebody
      return;
    default:
      return;  // its PROCTIME has been noted
  }
}

void Recorder::State::note_time(const Event& event) {
  const std::int64_t now = event.local_time.ns;
  auto& [first, last] = lasted.try_emplace(event.machine.value, now, now).first->second;
  first = std::min(first, now);
  last = std::max(last, now);
}

void Recorder::State::add_op(const Event& event, OpKind kind) {
  Life& life = recording.lives[event.process.value];
  Present& present = presents[event.process.value];
  Op op;
  op.kind = kind;
  op.code = event.code;
  op.bytes = event.length_bytes;
  op.time_ns = event.local_time.ns;
  op.cpu_ns = present.proc_time_ns - std::min(present.proc_time_ns, present.at_last_op_ns);
  present.at_last_op_ns = present.proc_time_ns;
  if (!event.peer.is_none() && event.peer.value < recording.lives.size()) op.peer = event.peer.value;
  if (!event.channel.is_none()) op.channel = event.channel.value;
  if (kind == OpKind::receive) {
    op.set = present.set;
    op.called_ns = present.called_ns;
  }
  present.set = kNone;
  life.ops.push_back(op);
  const auto index = static_cast<std::uint32_t>(life.ops.size() - 1);
  if (kind == OpKind::send) join(event, MessageEnd::send, index);
  if (kind == OpKind::receive) join(event, MessageEnd::receive, index);
}

// Of live programs: a simulated process is there when its creator says so, by messages that are in the trace.
void Recorder::State::add_tie(const Event& event, OpKind kind, Passes what, std::vector<Tie>& ties) {
  const bool known = !event.peer.is_none() && event.peer.value < recording.lives.size() && event.peer != event.process;
  if (info->source == "sim" || !known) return;
  Life& life = recording.lives[event.process.value];
  Present& present = presents[event.process.value];
  Op op;
  op.kind = kind;
  op.what = what;
  op.peer = event.peer.value;
  op.time_ns = event.local_time.ns;
  op.cpu_ns = present.proc_time_ns - std::min(present.proc_time_ns, present.at_last_op_ns);
  present.at_last_op_ns = present.proc_time_ns;
  ties.push_back({event.process.value, static_cast<std::uint32_t>(life.ops.size()), event.peer.value});
  life.ops.push_back(op);
}

// Every created process begins by receiving that it was.
void Recorder::State::tie_births() {
  std::set<std::uint32_t> born;
  for (const Tie& tie : births) {
    Life& child = recording.lives[tie.child];
    if (!child.metered || !born.insert(tie.child).second) continue;
    Op first;
    first.kind = OpKind::receive;
    first.what = Passes::beginning;
    first.peer = tie.process;
    first.time_ns = recording.lives[tie.process].ops[tie.op].time_ns;
    child.ops.insert(child.ops.begin(), first);
    for (Op& op : child.ops)
      if (op.peer == tie.child && op.match != kNone) ++op.match;  // to itself
    for (std::uint32_t i = 1; i < child.ops.size(); ++i) {
      const Op& op = child.ops[i];
      if (op.match != kNone && op.peer != tie.child) recording.lives[op.peer].ops[op.match].match = i;
    }
    for (std::vector<Tie>* ties : {&births, &deaths})
      for (Tie& other : *ties)
        if (other.process == tie.child) ++other.op;
    child.ops.front().match = tie.op;
    recording.lives[tie.process].ops[tie.op].match = 0;
  }
}

// A process whose end is waited for tells so with the last thing it does.
void Recorder::State::tie_deaths() {
  std::set<std::uint32_t> awaited;
  for (const Tie& tie : deaths) {
    Life& child = recording.lives[tie.child];
    if (!child.metered || !awaited.insert(tie.child).second) continue;
    Op last;
    last.what = Passes::end;
    last.peer = tie.process;
    last.match = tie.op;
    last.time_ns = recording.lives[tie.process].ops[tie.op].time_ns;
    last.cpu_ns = std::exchange(child.tail_cpu_ns, 0);
    recording.lives[tie.process].ops[tie.op].match = static_cast<std::uint32_t>(child.ops.size());
    child.ops.push_back(last);
  }
}

void Recorder::State::join(const Event& event, MessageEnd end, std::uint32_t index) {
  const ProcessId sender = end == MessageEnd::send ? event.process : event.peer;
  if (sender.is_none()) return;
  const MessageKey key{event.sequence, sender.value, event.channel.value};
  auto* other = matcher.find(key);
  if (other == nullptr) {
    matcher.insert(key, end, event.process.value, index);
    return;
  }
  if (static_cast<MessageEnd>(other->end) == end) return;  // a second copy of an end
  Op& here = recording.lives[event.process.value].ops[index];
  Op& there = recording.lives[other->process].ops[other->index];
  here.match = other->index;
  here.peer = other->process;
  there.match = index;
  there.peer = event.process.value;
  if (here.code == 0) here.code = there.code;
  there.code = here.code;
  matcher.erase(other);
  ++recording.messages;
}

void Recorder::State::classify_open_ends() {
  for (const Life& life : recording.lives) {
    for (const Op& op : life.ops) {
      if (op.kind == OpKind::move || op.what != Passes::message || op.match != kNone) continue;
      if (op.peer == kNone) {
        ++recording.without_peer;
      } else if (recording.lives[op.peer].metered) {
        ++(op.kind == OpKind::send ? recording.sends_without_receive : recording.receives_without_send);
      }
    }
  }
}

Recorder::Recorder() : state_(std::make_unique<State>()) {}
Recorder::~Recorder() = default;

void Recorder::on_begin(const TraceInfo& info) { state_->info = &info; }

void Recorder::on_events(std::span<const Event> batch) {
  for (const Event& event : batch)
    if (state_->refused.empty()) state_->add(event);
}

void Recorder::on_end(const LossReport& losses) {
  State& state = *state_;
  state.ended = true;
  state.recording.losses = losses;
  if (state.info == nullptr) return;
  state.recording.info = *state.info;
  state.recording.lives.resize(state.info->processes.size());
  for (std::size_t p = 0; p < state.presents.size(); ++p) {
    const Present& present = state.presents[p];
    state.recording.lives[p].tail_cpu_ns = present.proc_time_ns - std::min(present.proc_time_ns, present.at_last_op_ns);
  }
  for (const auto& [machine, times] : state.lasted)
    state.recording.elapsed_s =
        std::max(state.recording.elapsed_s, static_cast<double>(times.second - times.first) * 1e-9);
  state.tie_births();
  state.tie_deaths();
  state.classify_open_ends();
}

Result<Recording> Recorder::take() {
  DPM_CHECK(state_->ended);
  if (!state_->refused.empty()) return Error{state_->refused};
  const Recording& recording = state_->recording;
  if (recording.events == 0) return Error{"the trace is empty: there is nothing to make a twin of"};
  bool any_message = false, any_with_peer = false;
  for (const Life& life : recording.lives) {
    for (const Op& op : life.ops) {
      if (op.what != Passes::message) continue;
      any_message = any_message || op.kind != OpKind::move;
      any_with_peer = any_with_peer || (op.kind != OpKind::move && op.peer != kNone);
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
