#include <algorithm>

#include "backends/linux/capture/calls/meter.hpp"

namespace dpm {

Execution* Meter::find(std::uint32_t tid) {
  const auto found = executions_.find(tid);
  return found == executions_.end() ? nullptr : found->second.get();
}

// Names stay the same from run to run, so that placements written for one trace fit the next: the second process of a
// program is "sort#2", whatever its number.
std::string Meter::distinct_name(const std::string& wanted) {
  const std::uint32_t times = ++names_[wanted];
  return times == 1 ? wanted : wanted + "#" + std::to_string(times);
}

std::string Meter::name_for(const Birth& birth, ProcessState& process) {
  if (birth.tid == birth.pid || process.first.is_none()) return distinct_name(birth.name);
  // No other process has that name, so no other thread has this one, and no count of it needs to be kept.
  return process.name + "/" + std::to_string(++process.threads_named);
}

Execution& Meter::begin(const Birth& birth, Execution* creator, LocalTime time, std::int64_t now_ns) {
  const ProcessId id{static_cast<std::uint32_t>(executions_seen_++)};
  ProcessState& process = processes_[birth.pid];
  ProcessInfo described;
  described.name = name_for(birth, process);
  described.program = birth.program;
  described.machine = MachineId{0};
  described.pid = birth.pid;
  described.tid = birth.tid;
  described.began_ns = birth.began_ns;
  described.acquired = birth.acquired;
  was_acquired_ |= birth.acquired;
  if (process.first.is_none()) {
    process.first = id;
    process.name = described.name;
    process.command_name = birth.name;
    ++processes_seen_;
  } else {
    described.group = process.first;
  }
  ++process.executions;
  growth_.processes.push_back(std::move(described));

  auto& execution = executions_[birth.tid];
  if (execution != nullptr) dead_.push_back(std::move(execution));  // its number came again before its end was told
  execution = std::make_unique<Execution>(id, birth.pid, birth.tid, ready_);
  execution->cpu_before_ns = birth.cpu_before_ns;
  execution->flags = creator != nullptr ? creator->flags : flags_for_all_.value_or(birth.flags);

  if (creator != nullptr) {
    const Call fork{.execution = creator, .time = time, .now_ns = now_ns};
    Event create = event_of(fork, EventType::create_process);
    create.peer = id;
    if (birth.by_creator_itself) {
      record(fork, create);
    } else if (creator->flags.has(create.type)) {
      creator->append_for_process(create, now_ns);
    }
  }
  const Call first{.execution = execution.get(), .time = time, .now_ns = now_ns};
  Event start = event_of(first, EventType::start_process);
  if (creator != nullptr) start.peer = creator->id();
  record(first, start);
  return *execution;
}

void Meter::executed(Execution& execution, const std::string& name, const std::string& program, LocalTime time,
                     std::int64_t now_ns) {
  execution.counted = {};
  ProcessState& process = processes_[execution.pid()];
  if (name != process.command_name) process.name = distinct_name(name);
  process.command_name = name;
  conversations_.eventfds().left(execution.pid());
  process.sockets.clear();  // some were closed on the way; the others show themselves again when used
  growth_.renamed.push_back({execution.id(), process.name, program});
  const Call call{.execution = &execution, .time = time, .now_ns = now_ns};
  record(call, event_of(call, EventType::exec));
}

void Meter::ended(Execution& execution, std::uint32_t exit_code, LocalTime time, std::int64_t now_ns) {
  execution.ended = true;
  growth_.ended.push_back(execution.id());
  leave(execution);
  const Call call{.execution = &execution, .time = time, .now_ns = now_ns};
  const auto process = processes_.find(execution.pid());
  if (process != processes_.end() && --process->second.executions == 0) {
    for (std::size_t fd = 0; fd < process->second.sockets.size(); ++fd)
      put_descriptor(call, process->second, fd, 0, Evidence::inferred);
    conversations_.eventfds().left(execution.pid());
    processes_.erase(process);
  }
  Event event = event_of(call, EventType::destroy_process);
  event.peer = execution.id();
  event.code = exit_code;
  record(call, event);
  const auto found = executions_.find(execution.tid());
  if (found != executions_.end() && found->second.get() == &execution) {
    dead_.push_back(std::move(found->second));
    executions_.erase(found);
  }
}

void Meter::waited(const Call& call, ProcessId peer, WaitKind kind, std::int64_t waited_ns, Evidence evidence) {
  Event event = event_of(call, EventType::wait);
  event.peer = peer;
  event.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(waited_ns, 0));
  event.code = static_cast<std::uint32_t>(kind);
  event.evidence = evidence;
  record(call, event);
}

void Meter::leave(Execution& execution) {
  for (const auto& end : execution.open_ends()) accept(end, &execution);
  for (const AwaitedPath& path : awaited_paths_.give_up_all_of(execution)) end_wait(path);
}

void Meter::bury() {
  std::erase_if(dead_,
                [](const auto& execution) { return execution->waiting() == 0 && execution->open_operations == 0; });
  if (!conversations_.has_removed()) return;
  for (const auto& [tid, execution] : executions_)
    if (execution->counted.flow != nullptr && execution->counted.flow->removed) execution->counted = {};
  conversations_.free_removed();
}

}  // namespace dpm
