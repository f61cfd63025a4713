#include "backends/linux/bpf/followed_threads.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "backends/linux/calls/process_names.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

std::uint32_t exit_status(std::uint32_t wait_status) {
  const int status = static_cast<int>(wait_status);
  return static_cast<std::uint32_t>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

// /proc has hundredths of a second, and readers of traces compare with it.
std::uint64_t as_in_proc(std::uint64_t began_ns) {
  constexpr std::uint64_t kTickNs = 10'000'000;
  return began_ns / kTickNs * kTickNs;
}

// The path that the kernel was given may be relative, or lead to another by links; /proc has the whole path of the file
// itself, as long as the process runs this program. Otherwise the file system is asked.
std::string program_path(std::uint32_t pid, const std::string& given, const std::string& file) {
  const auto is_it = [&file](const std::string& path) {
    return file_name(path).substr(0, dpm_own_name_max - 1) == file;
  };
  const std::string path = read_program_path(pid);
  if (file.empty() || is_it(path)) return path;
  std::error_code failed;
  const std::string behind_links = std::filesystem::canonical(given, failed).string();
  return !failed && is_it(behind_links) ? behind_links : given;
}

// Reading the process's clock brings those of its running threads up to date.
std::uint64_t cpu_time_of(std::uint32_t pid, std::uint32_t tid) {
  std::uint64_t process_ns = 0, thread_ns = 0;
  process_cpu_time_ns(pid, process_ns);
  ThreadFiles(pid, tid).cpu_time_ns(thread_ns);
  return thread_ns;
}

// The kernel's programs report no end that came before they followed the thread. A parent may leave a dead process unreaped.
bool has_ended_unseen(std::uint32_t pid, std::uint32_t tid) { return is_ending(pid, tid).value_or(true); }

}  // namespace

void FollowedThread::read_cpu_time(std::uint64_t low_bits) {
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 48;
  std::uint64_t full = (cpu_ns & ~(kSpan - 1)) | (low_bits & (kSpan - 1));
  if (full + kSpan / 2 < cpu_ns) full += kSpan;
  cpu_ns = std::max(cpu_ns, full);
  metered->read_cpu_time(full + cpu_before_ns, 0);
}

FollowedThread* FollowedThreads::find(std::uint32_t tid) {
  const auto found = threads_.find(tid);
  return found == threads_.end() ? nullptr : found->second.get();
}

FollowedThread& FollowedThreads::add(const Processes::Birth& birth, FollowedThread* creator,
                                     std::shared_ptr<FollowedProcess> process, std::int64_t now_ns) {
  auto thread = std::make_unique<FollowedThread>();
  MeteredThread* const by = creator == nullptr ? nullptr : creator->metered;
  Processes::Birth measured = birth;
  measured.waits_are_measured = true;
  thread->metered = &meter_.processes().begin(measured, by, local(now_ns), now_ns);
  thread->process = std::move(process);
  thread->known_since_ns = now_ns;
  thread->cpu_ns = birth.cpu_so_far_ns;
  if (thread->process->first.is_none()) thread->process->first = thread->metered->id();
  ++thread->process->threads;
  if (known_.size() < dpm_accounts_max) known_.try_emplace({birth.tid, birth.began_ns}, thread->metered->id());
  auto& place = threads_[birth.tid];
  place = std::move(thread);
  return *place;
}

Processes::Birth FollowedThreads::birth_of_running(std::uint32_t pid, std::uint32_t tid) const {
  Processes::Birth birth;
  birth.pid = pid;
  birth.tid = tid;
  birth.program = read_program_path(pid);
  birth.began_ns = read_beginning_ns(pid, tid);
  birth.flags = program_.flags;
  birth.acquired = !program_.from_start;
  if (birth.acquired) birth.cpu_so_far_ns = cpu_time_of(pid, tid);
  birth.name = name_or_file(read_command_name(pid, tid), birth.program);
  if (tid == pid) birth.cgroup = read_cgroup_label(pid);
  return birth;
}

Processes::Birth FollowedThreads::birth_of_first(std::uint32_t tid) const {
  Processes::Birth birth = birth_of_running(program_.pid, tid);
  if (!program_.from_start) return birth;
  birth.name = file_name(first_word(program_.command));
  process_cpu_time_ns(program_.pid, birth.cpu_before_ns);  // dpm's
  return birth;
}

std::shared_ptr<FollowedProcess> FollowedThreads::process_at(std::uint32_t pid) const {
  for (const auto& [tid, thread] : threads_)
    if (thread->process->pid == pid && !thread->end) return thread->process;
  return nullptr;
}

void FollowedThreads::add_running(std::uint32_t pid, std::int64_t now_ns) {
  std::vector<std::uint32_t> tids = read_thread_ids(pid);
  std::stable_partition(tids.begin(), tids.end(), [pid](std::uint32_t tid) { return tid == pid; });
  std::shared_ptr<FollowedProcess> process = process_at(pid);
  for (const std::uint32_t tid : tids) {
    if (find(tid) != nullptr || has_ended_unseen(pid, tid)) continue;
    const Processes::Birth birth = birth_of_running(pid, tid);
    if (process == nullptr) {
      process = std::make_shared<FollowedProcess>();
      process->pid = process->seen_as = pid;
      process->program = birth.program;
      process->cgroup = birth.cgroup;
    }
    add(birth, nullptr, process, now_ns);
  }
}

// It was created here, or came in: its other threads are found by add_running().
void FollowedThreads::entered(const dpm_task_record& record, std::int64_t now_ns) {
  if (find(record.tid) != nullptr) return;
  std::shared_ptr<FollowedProcess> process = process_at(record.pid);
  Processes::Birth birth = birth_of_running(record.pid, record.tid);
  birth.name = name_or_file(text_of(record.name), birth.program);
  birth.began_ns = as_in_proc(record.began_ns);
  birth.acquired = true;
  birth.cpu_so_far_ns = record.cpu_ns;
  if (process == nullptr) {
    process = std::make_shared<FollowedProcess>();
    process->pid = process->seen_as = record.pid;
    process->program = birth.program;
    process->cgroup = birth.cgroup;
  }
  add(birth, nullptr, process, now_ns);
  entered_.push_back(record.pid);
}

void FollowedThreads::begin_program(std::int64_t now_ns) {
  if (program_.is_scope) return;
  auto process = std::make_shared<FollowedProcess>();
  process->pid = process->seen_as = program_.pid;
  std::vector<std::uint32_t> tids = {program_.pid};  // the first comes first
  for (const std::uint32_t tid : read_thread_ids(program_.pid))
    if (tid != program_.pid) tids.push_back(tid);
  for (const std::uint32_t tid : tids) {
    if (!program_.from_start && has_ended_unseen(program_.pid, tid)) continue;
    const Processes::Birth birth = birth_of_first(tid);
    if (process->threads == 0) {
      process->program = birth.program;
      process->cgroup = birth.cgroup;
    }
    add(birth, nullptr, process, now_ns);
  }
}

void FollowedThreads::take(const dpm_task_record& record) {
  const auto now_ns = static_cast<std::int64_t>(record.time_ns);
  FollowedThread* thread = find(record.tid);
  // The first thread has run for the last time after another one executed a program, and has its number.
  if (thread != nullptr && record.kind == dpm_gone && !thread->end) return;
  if (thread != nullptr && record.kind != dpm_executed) {
    thread->read_cpu_time(record.cpu_ns);
    thread->metered->read_waits(record.ready_ns, record.disk_ns);
  }
  switch (record.kind) {
    case dpm_forked:
      return forked(record, now_ns);
    case dpm_executed:
      return executed(record, now_ns);
    case dpm_exited:
      return exited(record, now_ns);
    case dpm_gone:
      return gone(record.tid, record.cpu_ns);
    case dpm_entered:
      return entered(record, now_ns);
    default:
      return;
  }
}

void FollowedThreads::forked(const dpm_task_record& record, std::int64_t now_ns) {
  FollowedThread* creator = find(record.tid);
  if (creator == nullptr) return;
  // It was listed when its running process was acquired.
  if (const FollowedThread* known = find(record.child); known != nullptr && known->known_since_ns > now_ns) return;
  const bool is_process = record.child == record.child_pid;
  Processes::Birth birth;
  birth.pid = record.child_pid;
  birth.tid = record.child;
  birth.program = creator->process->program;
  birth.name = name_or_file(text_of(record.name), birth.program);
  birth.began_ns = as_in_proc(record.began_ns);
  birth.by_creator_itself = true;
  std::shared_ptr<FollowedProcess> process = creator->process;
  if (is_process) {
    process = std::make_shared<FollowedProcess>();
    process->pid = record.child_pid;
    process->parent_pid = record.pid;
    process->seen_as = record.seen_as;
    process->program = birth.program;
    process->cgroup = birth.cgroup = creator->process->cgroup;
  }
  const FollowedThread& child = add(birth, creator, std::move(process), now_ns);
  if (!is_process) return;
  auto& same_number = children_[record.seen_as];
  std::erase_if(same_number, [&record](const Child& other) { return other.parent_pid == record.pid; });
  same_number.push_back({record.child_pid, record.pid, child.metered->id()});
}

void FollowedThreads::executed(const dpm_task_record& record, std::int64_t now_ns) {
  if (record.code != record.tid) take_over(record.code, record.tid, record.cpu_ns, now_ns);
  FollowedThread* thread = find(record.tid);
  if (thread == nullptr) return;
  thread->read_cpu_time(record.cpu_ns);
  thread->metered->read_waits(record.ready_ns, record.disk_ns);
  thread->sites = {};
  const std::string path = program_path(record.pid, text_of(record.program), text_of(record.file));
  thread->process->program = path;
  meter_.executed(*thread->metered, name_or_file(text_of(record.name), path), path, local(now_ns), now_ns);
}

// Another thread than the first executes a program: it gets the number of the process, and all others end.
void FollowedThreads::take_over(std::uint32_t tid, std::uint32_t pid, std::uint64_t cpu_ns, std::int64_t now_ns) {
  FollowedThread* executing = find(tid);
  if (executing == nullptr) return;
  executing->read_cpu_time(cpu_ns);
  FollowedThread* first = find(pid);
  if (first == nullptr) {  // it has run for the last time
    const FollowedProcess& process = *executing->process;
    Processes::Birth birth;
    birth.pid = birth.tid = pid;
    birth.program = process.program;
    birth.name = name_or_file("", birth.program);
    birth.by_creator_itself = true;
    first = &add(birth, executing, executing->process, now_ns);
    --executing->process->threads;
  }
  executing->end = FollowedThread::End{local(now_ns), now_ns, 0};
  gone(tid, cpu_ns);
  first->end.reset();
  first->cpu_before_ns += first->cpu_ns - cpu_ns;
  first->cpu_ns = cpu_ns;
}

void FollowedThreads::exited(const dpm_task_record& record, std::int64_t now_ns) {
  FollowedThread* thread = find(record.tid);
  if (thread == nullptr) return;
  thread->end = FollowedThread::End{local(now_ns), now_ns, exit_status(record.code)};
  FollowedProcess& process = *thread->process;
  if (--process.threads > 0) return;
  if (Child* child = child_of(process.parent_pid, process.seen_as)) child->has_ended = true;
}

// The thread's CPU time is complete now.
void FollowedThreads::gone(std::uint32_t tid, std::uint64_t cpu_ns) {
  const auto found = threads_.find(tid);
  if (found == threads_.end() || !found->second->end) return;
  FollowedThread& thread = *found->second;
  thread.read_cpu_time(cpu_ns);
  meter_.ended(*thread.metered, thread.end->code, thread.end->time, thread.end->now_ns);
  threads_.erase(found);
}

FollowedThreads::Child* FollowedThreads::child_of(std::uint32_t parent_pid, std::uint32_t seen_as) {
  const auto found = children_.find(seen_as);
  if (found == children_.end() || found->second.empty()) return nullptr;
  auto& children = found->second;
  const auto own = std::find_if(children.begin(), children.end(),
                                [parent_pid](const Child& child) { return child.parent_pid == parent_pid; });
  return own == children.end() ? nullptr : &*own;
}

void FollowedThreads::waited(const Call& call, std::uint32_t seen_as, std::int64_t waited_ns) {
  Child* child = child_of(call.thread->pid(), seen_as);
  const auto others = children_.find(seen_as);
  // Its parent has ended: this process is the new one.
  if (child == nullptr && others != children_.end() && !others->second.empty()) child = &others->second.front();
  if (child == nullptr || !child->has_ended) return;  // a stop, or a child that was not followed
  meter_.processes().waited(call, child->process, WaitKind::process_end, waited_ns, Evidence::observed);
  std::erase_if(others->second, [pid = child->pid](const Child& other) { return other.pid == pid; });
  if (others->second.empty()) children_.erase(others);
}

std::vector<std::uint32_t> FollowedThreads::processes() const {
  std::set<std::uint32_t> pids;
  for (const auto& [tid, thread] : threads_)
    if (!thread->end) pids.insert(thread->process->pid);
  return {pids.begin(), pids.end()};
}

ProcessId FollowedThreads::known_as(std::uint32_t tid, std::uint64_t began_ns) const {
  const auto found = known_.find({tid, as_in_proc(began_ns)});
  return found == known_.end() ? ProcessId{} : found->second;
}

std::uint64_t FollowedThreads::tell_waits(std::span<const KernelAccount> accounts) {
  std::uint64_t unknown_ns = 0;
  constexpr std::array kReasons = {WaitReason::cpu, WaitReason::lock, WaitReason::timer, WaitReason::signal};
  for (const auto& [key, account] : accounts) {
    WaitCause cause;
    cause.process = known_as(key.tid, key.began_ns);
    if (cause.process.is_none() || key.reason >= kReasons.size()) {
      unknown_ns += account.time_ns;
      continue;
    }
    cause.reason = kReasons[key.reason];
    cause.time_ns = account.time_ns;
    if (cause.reason == WaitReason::cpu && key.rival == 0) {
      cause.name = kIdleCpu;
    } else if (key.rival != 0) {
      cause.other = known_as(key.rival, account.rival_began_ns);
      if (cause.other.is_none()) cause.name = text_of(account.name);
    }
    meter_.add_wait_cause(std::move(cause));
  }
  return unknown_ns;
}

void FollowedThreads::finish() {
  std::vector<std::uint32_t> ended;
  for (const auto& [tid, thread] : threads_) {
    if (thread->end) {
      ended.push_back(tid);
    } else {
      meter_.leave(*thread->metered);
    }
  }
  for (const std::uint32_t tid : ended) gone(tid, find(tid)->cpu_ns);
}

}  // namespace dpm
