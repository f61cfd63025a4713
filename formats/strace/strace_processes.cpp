#include "formats/strace/strace_processes.hpp"

#include <fmt/format.h>

namespace dpm {
namespace {

std::string unknown_program(std::uint32_t tid) {
  return tid == 0 ? std::string("the first process") : fmt::format("process {}", tid);
}

}  // namespace

ProcessId StraceProcesses::at(std::uint32_t tid) {
  const auto known = running_.find(tid);
  return known != running_.end() ? known->second : add(tid, {}, false, !running_.empty() || !ended_.empty());
}

ProcessId StraceProcesses::created(std::uint32_t tid, ProcessId parent, bool is_thread) {
  // strace may print the first call of a process, and all others, before the call that created it has returned.
  if (const auto known = running_.find(tid); known != running_.end()) {
    const bool is_again = origins_[known->second.value].maker != ProcessId{} && known->second != parent;
    if (!is_again) {
      if (known->second != parent) was_created(known->second, parent, is_thread);
      return known->second;
    }
    ended(tid);  // its end is not in the log, and its number is used again
  }
  if (const ProcessId known = last_ended(tid); !known.is_none() && info_[known].acquired) {
    was_created(known, parent, is_thread);
    return known;
  }
  return add(tid, parent, is_thread, false);
}

void StraceProcesses::was_created(ProcessId child, ProcessId parent, bool is_thread) {
  if (!origins_[child.value].maker.is_none()) return;
  info_.processes[child.value].acquired = false;
  origins_[child.value] = origin(parent, is_thread);
}

StraceOrigin StraceProcesses::origin(ProcessId parent, bool is_thread) const {
  return {parent, is_thread, has_executed_[parent.value] ? info_[parent].program : std::string()};
}

void StraceProcesses::settle() {
  const std::vector<StraceBeginning> beginnings = strace_beginnings(origins_);
  std::vector<ProcessInfo*> threads;
  for (std::uint32_t i = 0; i < beginnings.size(); ++i) {
    if (!begins_as(ProcessId{i}, beginnings[i])) continue;
    ProcessInfo& process = info_.processes[i];
    if (process.group.is_none())
      process.name = unique_name(process.program);
    else
      threads.push_back(&process);
  }
  for (ProcessInfo* thread : threads) thread->name = thread_name(*thread);
}

bool StraceProcesses::begins_as(ProcessId id, const StraceBeginning& beginning) {
  ProcessInfo& process = info_.processes[id.value];
  const ProcessId group = beginning.first_thread == id ? ProcessId{} : beginning.first_thread;
  const bool has_other_program =
      !has_executed_[id.value] && !beginning.program.empty() && process.program != beginning.program;
  if (process.group == group && !has_other_program) return false;
  process.group = group;
  process.pid = info_[beginning.first_thread].tid;
  if (has_other_program) process.program = beginning.program;
  return true;
}

std::string StraceProcesses::thread_name(const ProcessInfo& thread) const {
  return fmt::format("{}/{}", info_[thread.group].name, thread.tid);
}

ProcessId StraceProcesses::group_of(ProcessId process) const {
  return info_[process].group.is_none() ? process : info_[process].group;
}

ProcessId StraceProcesses::add(std::uint32_t tid, ProcessId parent, bool is_thread, bool acquired) {
  const ProcessId id{static_cast<std::uint32_t>(info_.processes.size())};
  ProcessInfo process;
  process.machine = kLogMachine;
  process.pid = process.tid = tid;
  process.acquired = acquired;
  if (is_thread) {
    process.group = group_of(parent);
    process.pid = info_[process.group].pid;
    process.program = info_[parent].program;
    process.name = thread_name(process);
  } else {
    process.program = parent.is_none() ? unknown_program(tid) : info_[parent].program;
    process.name = unique_name(process.program);
  }
  origins_.push_back(parent.is_none() ? StraceOrigin{{}, false, process.program} : origin(parent, is_thread));
  has_executed_.push_back(false);
  info_.processes.push_back(std::move(process));
  running_[tid] = id;
  return id;
}

void StraceProcesses::executes(ProcessId process, std::string_view path) {
  ProcessInfo& info = info_.processes[process.value];
  const std::string_view program = path.substr(path.rfind('/') + 1);  // npos + 1: the whole
  if (program.empty() || !info.group.is_none()) return;
  has_executed_[process.value] = true;
  if (info.program == program) return;
  info.program = program;
  info.name = unique_name(program);
}

void StraceProcesses::is_first(std::uint32_t tid) {
  const auto first = running_.find(0);
  if (first == running_.end()) return;
  const ProcessId process = first->second;
  running_.erase(first);
  running_[tid] = process;
  ProcessInfo& info = info_.processes[process.value];
  info.pid = info.tid = tid;
  if (info.program == unknown_program(0)) {
    info.program = origins_[process.value].program = unknown_program(tid);
    info.name = unique_name(info.program);
  }
}

void StraceProcesses::is_called(ProcessId process, std::string_view command) {
  ProcessInfo& info = info_.processes[process.value];
  if (!info.group.is_none() || info.program != unknown_program(info.tid)) return;
  info.program = origins_[process.value].program = command;
  info.name = unique_name(command);
}

void StraceProcesses::superseded(std::uint32_t thread, std::uint32_t leader) {
  const auto known = running_.find(thread);
  if (known == running_.end()) return;
  ended_[thread] = known->second;
  running_.erase(known);
  at(leader);
}

void StraceProcesses::ended(std::uint32_t tid) {
  const auto known = running_.find(tid);
  if (known == running_.end()) return;
  ended_[tid] = known->second;
  running_.erase(known);
}

ProcessId StraceProcesses::last_ended(std::uint32_t tid) const {
  const auto known = ended_.find(tid);
  return known == ended_.end() ? ProcessId{} : known->second;
}

std::string StraceProcesses::unique_name(std::string_view program) {
  const std::uint32_t number = ++named_[std::string(program)];
  return number == 1 ? std::string(program) : fmt::format("{}#{}", program, number);
}

}  // namespace dpm
