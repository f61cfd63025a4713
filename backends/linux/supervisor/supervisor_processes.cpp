#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "backends/linux/supervisor/supervisor.hpp"

namespace dpm {
namespace {

// "redis-server" of "/usr/bin/redis-server"; what the thread calls itself otherwise.
std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string first_word(const std::string& command) { return command.substr(0, command.find(' ')); }

std::uint32_t exit_status(std::uint32_t wait_status) {
  const int status = static_cast<int>(wait_status);
  return static_cast<std::uint32_t>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace

TrackedThread* Supervisor::tracked(std::uint32_t tid) {
  const auto known = threads_.find(tid);
  if (known != threads_.end()) return known->second.get();
  drain_announcements();  // its birth is announced before its first call waits
  const auto announced = threads_.find(tid);
  if (announced != threads_.end()) return announced->second.get();
  const auto status = read_status(tid);
  if (!status) return nullptr;
  const auto parent = threads_.find(status->pid == tid ? status->parent_pid : status->pid);
  return &meet(tid, status->pid, parent == threads_.end() ? nullptr : parent->second->execution);
}

TrackedThread& Supervisor::meet(std::uint32_t tid, std::uint32_t pid, Execution* creator) {
  Meter::Birth birth;
  birth.pid = pid;
  birth.tid = tid;
  birth.program = read_program_path(pid);
  birth.name = read_command_name(pid, tid);
  // It waits before its first instruction, and is still called as we are.
  if (tid == program_.pid && program_.from_start) birth.name = file_name(first_word(program_.command));
  if (birth.name.empty()) birth.name = birth.program.empty() ? "process" : file_name(birth.program);
  birth.flags = options_.flags;
  const LocalTime now = local_time();
  auto thread = std::make_unique<TrackedThread>();
  thread->execution = &meter_.begin(birth, creator, now, now.ns - clock_offset_ns_);
  thread->thread_fd = open_thread(tid, pid);
  thread->files = ThreadFiles(pid, tid);
  processes_[pid].several_threads |= pid != tid;
  auto& place = threads_[tid];
  if (place != nullptr && place->hold) end_hold(*place);
  place = std::move(thread);
  return *place;
}

void Supervisor::drain_announcements() {
  if (!connector_) return;
  if (!connector_->drain([this](const ProcessChange& change) { announced(change); })) ++announcements_lost_;
}

void Supervisor::announced(const ProcessChange& change) {
  const LocalTime time{static_cast<std::int64_t>(change.boot_time_ns) + clock_offset_ns_};
  const std::int64_t now_ns = static_cast<std::int64_t>(change.boot_time_ns);
  if (change.kind == ProcessChange::Kind::fork) {
    // The parent the kernel names is the child's new parent: for a thread its creator's own, so the creator is the
    // process it belongs to.
    const auto parent = threads_.find(change.pid == change.tid ? change.parent_tid : change.pid);
    if (parent == threads_.end() || threads_.contains(change.tid)) return;
    read_cpu_time(*parent->second);
    meet(change.tid, change.pid, parent->second->execution);
    return;
  }
  const auto found = threads_.find(change.tid);
  if (found == threads_.end()) return;
  TrackedThread& thread = *found->second;
  if (change.kind == ProcessChange::Kind::exec) {
    processes_[change.pid] = {};  // other code, one thread
    const std::string path = read_program_path(change.pid);
    const std::string name = read_command_name(change.pid, change.tid);
    meter_.executed(*thread.execution, name.empty() ? file_name(path) : name, path, time, now_ns);
    thread.thread_fd = open_thread(change.tid, change.pid);
    thread.files = ThreadFiles(change.pid, change.tid);
    thread.execution->counted = {};
    return;
  }
  if (thread.hold) end_hold(thread);
  if (thread.execution->counted.flow != nullptr) read_counters(thread);
  read_cpu_time(thread);
  meter_.ended(*thread.execution, exit_status(change.exit_code), time, now_ns);
  threads_.erase(found);
  if (change.tid == change.pid) processes_.erase(change.pid);
}

// The process's clock is cheaper than the thread's file, and the same while there is one thread.
void Supervisor::read_cpu_time(TrackedThread& thread) {
  Execution& execution = *thread.execution;
  std::uint64_t cpu_ns = 0;
  const auto code = processes_.find(execution.pid());
  const bool several = code != processes_.end() && code->second.several_threads;
  if (several ? thread.files.cpu_time_ns(cpu_ns) : process_cpu_time_ns(execution.pid(), cpu_ns))
    execution.read_cpu_time(cpu_ns, call_cost_ns_);
}

void Supervisor::read_counters(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  if (!thread.files.transferred(transferred)) return;
  meter_.io_counters(*thread.execution, transferred);
  thread.counters_read = true;
}

std::vector<std::uint32_t> Supervisor::due_for_survey(std::int64_t now_ns) {
  constexpr std::int64_t kPauseMaxNs = 2'000'000'000;
  constexpr std::size_t kAtOnce = 4;
  std::vector<std::uint32_t> due;
  for (auto& [pid, process] : processes_) {
    if (process.survey_at_ns == 0) process.survey_at_ns = now_ns + process.survey_pause_ns;
    if (process.survey_at_ns > now_ns || due.size() == kAtOnce) continue;
    process.survey_pause_ns = std::min(2 * process.survey_pause_ns, kPauseMaxNs);
    process.survey_at_ns = now_ns + process.survey_pause_ns;
    due.push_back(pid);
  }
  return due;
}

// Without the lock: calls go on meanwhile.
void Supervisor::survey(const std::vector<std::uint32_t>& pids) {
  for (const std::uint32_t pid : pids)
    bypasses_.add(read_command_name(pid, pid) + " (" + std::to_string(pid) + ")", survey_bypasses(pid));
}

// Events whose length no later call has shown: the stream is looked at once more, or what was probable is taken.
void Supervisor::settle_old_events(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& unfinished : meter_.unfinished(now_ns - kOldNs)) {
    const Execution& execution = *unfinished.operation.execution;
    const auto found = threads_.find(execution.tid());
    if (found == threads_.end()) {
      meter_.accept(unfinished);
      continue;
    }
    TrackedThread& thread = *found->second;
    if (is_in_call(execution.pid(), execution.tid(), unfinished.operation.descriptor)) continue;
    if (execution.counted.flow == unfinished.end.flow) {
      read_counters(thread);
      continue;
    }
    const Flow& flow = *unfinished.end.flow;
    const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), unfinished.operation.descriptor);
    const Socket* socket = fd ? meter_.conversations().find(identify(fd.get()).id) : nullptr;
    const bool ours = socket != nullptr && (unfinished.end.sending ? socket->out : socket->in) == &flow;
    if (!flow.exact || !ours) {
      meter_.accept(unfinished);
      continue;
    }
    std::optional<std::uint64_t> offset;
    if (unfinished.end.sending) {
      offset = tcp_send_offset(fd.get(), socket->description.syn_counted, flow.sent.expected());
    } else if (const auto state = tcp_receive_state(fd.get(), flow.received.expected())) {
      offset = state->offset;
    }
    if (offset) {
      meter_.settle_unfinished(unfinished, *offset);
    } else {
      meter_.accept(unfinished);
    }
  }
  meter_.bury();
}

}  // namespace dpm
