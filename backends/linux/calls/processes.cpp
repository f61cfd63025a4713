#include "backends/linux/calls/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dpm {

MeteredThread* Processes::find(std::uint32_t tid) {
  const auto found = threads_.find(tid);
  return found == threads_.end() ? nullptr : found->second.get();
}

MeteredThread* Processes::find(std::uint32_t tid, ProcessId id) {
  MeteredThread* thread = find(tid);
  return thread != nullptr && thread->id() == id ? thread : nullptr;
}

// Names stay the same from run to run, so that placements written for one trace fit the next: the second process of a
// program is "sort#2", whatever its number.
std::string Processes::distinct_name(const std::string& wanted) {
  const std::uint32_t times = ++names_[wanted];
  return times == 1 ? wanted : fmt::format("{}#{}", wanted, times);
}

std::string Processes::name_for(const Birth& birth, Process& process) {
  if (birth.tid == birth.pid || process.first.is_none()) return distinct_name(birth.name);
  // No other process has the process's name, so no other thread has this one, and no count of it needs to be kept.
  return fmt::format("{}/{}", process.name, ++process.threads_named);
}

void Processes::describe(const Birth& birth, ProcessId id) {
  Process& process = processes_[birth.pid];
  ProcessInfo described;
  described.name = name_for(birth, process);
  described.program = birth.program;
  described.machine = MachineId{0};
  described.pid = birth.pid;
  described.tid = birth.tid;
  described.began_ns = birth.began_ns;
  described.acquired = birth.acquired;
  described.cgroup = birth.cgroup;
  was_acquired_ |= birth.acquired;
  if (process.first.is_none()) {
    process.first = id;
    process.name = described.name;
    process.command_name = birth.name;
    ++processes_seen_;
  } else {
    described.group = process.first;
  }
  ++process.threads;
  recorder_.growth().processes.push_back(std::move(described));
}

MeteredThread& Processes::begin(const Birth& birth, MeteredThread* creator, LocalTime time, std::int64_t now_ns) {
  const ProcessId id{ids_given_++};
  ++threads_seen_;
  describe(birth, id);
  auto& thread = threads_[birth.tid];
  if (thread != nullptr) ended_.push_back(std::move(thread));  // the number was reused before its end was reported
  thread = std::make_unique<MeteredThread>(id, birth.pid, birth.tid, recorder_.output());
  thread->cpu_before_ns = birth.cpu_before_ns;
  thread->read_cpu_time(birth.cpu_before_ns + birth.cpu_so_far_ns, 0);
  thread->flags = creator != nullptr ? creator->flags : flags_for_all_.value_or(birth.flags);
  if (birth.waits_are_measured) thread->read_waits(0, 0);
  record_creation(birth, creator, *thread, time, now_ns);
  return *thread;
}

ProcessId Processes::meter(const Own& process) {
  if (!meter_.is_none()) return meter_;
  meter_ = ProcessId{ids_given_++};
  ProcessInfo described;
  described.name = distinct_name("dpm meter");
  described.machine = MachineId{0};
  described.in_computation = false;
  described.pid = described.tid = process.pid;
  described.began_ns = process.began_ns;
  recorder_.growth().processes.push_back(std::move(described));
  return meter_;
}

void Processes::record_creation(const Birth& birth, MeteredThread* creator, MeteredThread& created, LocalTime time,
                                std::int64_t now_ns) {
  if (creator != nullptr) {
    const Call fork{.thread = creator, .time = time, .now_ns = now_ns};
    Event create = recorder_.event_of(fork, EventType::create_process);
    create.peer = created.id();
    if (birth.by_creator_itself) {
      recorder_.record(fork, create);
    } else if (creator->flags.has(create.type)) {
      creator->append_for_process(create, now_ns);
    }
  }
  const Call first{.thread = &created, .time = time, .now_ns = now_ns};
  Event start = recorder_.event_of(first, EventType::start_process);
  if (creator != nullptr) start.peer = creator->id();
  recorder_.record(first, start);
}

void Processes::executed(const Call& call, const std::string& name, const std::string& program) {
  Process& process = processes_[call.thread->pid()];
  if (name != process.command_name) process.name = distinct_name(name);
  process.command_name = name;
  recorder_.growth().renamed.push_back({call.thread->id(), process.name, program});
  recorder_.record(call, recorder_.event_of(call, EventType::exec));
}

void Processes::waited(const Call& call, ProcessId peer, WaitKind kind, std::int64_t waited_ns, Evidence evidence) {
  Event event = recorder_.event_of(call, EventType::wait);
  event.peer = peer;
  event.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(waited_ns, 0));
  event.code = static_cast<std::uint32_t>(kind);
  event.evidence = evidence;
  recorder_.record(call, event);
}

bool Processes::leave_process(const MeteredThread& thread) {
  const auto process = processes_.find(thread.pid());
  if (process == processes_.end() || --process->second.threads > 0) return false;
  processes_.erase(process);
  return true;
}

void Processes::ended(const Call& call, std::uint32_t exit_code) {
  const MeteredThread& thread = *call.thread;
  Event event = recorder_.event_of(call, EventType::destroy_process);
  event.peer = thread.id();
  event.code = exit_code;
  recorder_.record(call, event);
  const auto found = threads_.find(thread.tid());
  if (found == threads_.end() || found->second.get() != &thread) return;
  ended_.push_back(std::move(found->second));
  threads_.erase(found);
}

MeteredThread* Processes::find_ended(ProcessId id) {
  const auto found =
      std::find_if(ended_.rbegin(), ended_.rend(), [id](const auto& thread) { return thread->id() == id; });
  return found == ended_.rend() ? nullptr : found->get();
}

void Processes::forget_ended() {
  if (ended_.size() <= kEndedKept) return;
  std::size_t too_many = ended_.size() - kEndedKept;
  std::erase_if(ended_, [&too_many](const auto& thread) {
    if (too_many == 0 || thread->waiting() > 0 || thread->open_operations > 0) return false;
    --too_many;
    return true;
  });
}

bool Processes::has_unfinished() const {
  const auto& waiting = recorder_.waiting();
  return std::any_of(waiting.begin(), waiting.end(), [](const MeteredThread* thread) { return !thread->ended; });
}

void Processes::set_flags(std::uint32_t pid, MeterFlags flags) {
  if (pid == 0) flags_for_all_ = flags;
  for (const auto& [tid, thread] : threads_) {
    if (pid == 0 || thread->pid() == pid) thread->flags = flags;
  }
}

}  // namespace dpm
