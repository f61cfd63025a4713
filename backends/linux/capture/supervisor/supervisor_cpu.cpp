// CPU time, up to the end of a thread. Where it can be read at an end, in this order:
//
//   the clock       of a process that is dead but not gone, because its parent's wait is held, or has not come: exact
//   a counter       opened in time (CpuCounter): exact but for time that a virtual machine was not given
//   the difference  of a thread among others: its process's clock less what the others have, exact while they are there;
//                   of several that ended at once, each has an equal share of what is left
//   the parent      which has the sum of its gone children, to 10 ms each of user and system time: what it has more than
//                   is known of them. One child can be off by that much, the sum is not
//
// What none of them tells is unknown, and counted.
#include <unistd.h>

#include <algorithm>

#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {

// The process's clock is cheaper than the thread's file, and the same while there is one thread.
void Supervisor::read_cpu_time(TrackedThread& thread) {
  Execution& execution = *thread.execution;
  std::uint64_t cpu_ns = 0;
  if (thread.process->several_threads ? thread.files.cpu_time_ns(cpu_ns) : process_cpu_time_ns(execution.pid(), cpu_ns))
    has_used(thread, cpu_ns);
}

void Supervisor::has_used(TrackedThread& thread, std::uint64_t cpu_ns) {
  thread.execution->read_cpu_time(cpu_ns, call_cost_ns_);
  thread.cpu_ns = std::max(thread.cpu_ns, cpu_ns);
  thread.cpu_read_at = local_time();
}

// What a thread has used that cannot be asked any more, among other threads of its process.
std::optional<std::uint64_t> Supervisor::share_of_ended(TrackedThread& thread) {
  constexpr std::size_t kThreadsMax = 256;
  const Kinship& kinship = thread.process->kinship;
  std::uint64_t total_ns = 0;
  // The process's clock first: reading it brings the numbers of its running threads up to date.
  if (kinship.threads.size() > kThreadsMax || !process_cpu_time_ns(thread.execution->pid(), total_ns))
    return std::nullopt;
  std::uint64_t accounted_ns = kinship.ended_cpu_ns + thread.cpu_ns, sharing = 1;
  for (TrackedThread* other : kinship.threads) {
    if (other == &thread) continue;
    std::uint64_t cpu_ns = 0;
    const bool is_there = other->files.cpu_time_ns(cpu_ns);
    accounted_ns += is_there ? cpu_ns : other->cpu_ns;
    sharing += is_there ? 0 : 1;
  }
  return thread.cpu_ns + (total_ns > accounted_ns ? total_ns - accounted_ns : 0) / sharing;
}

// The process is gone, and its parent has its CPU time in a sum.
void Supervisor::ask_parent(TrackedThread& thread) {
  Kinship& kinship = thread.process->kinship;
  const auto parent = processes_.find(kinship.parent_pid);
  const auto state = parent == processes_.end() ? std::nullopt : read_child(kinship.parent_pid);
  if (!state) return;
  const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  const auto total_ns = static_cast<std::int64_t>(state->reaped_ticks) * tick_ns;
  const std::uint64_t known_ns =
      parent->second->kinship.reaped_cpu_ns + kinship.ended_cpu_ns + kinship.reaped_cpu_ns + thread.cpu_ns;
  const std::int64_t more_ns = total_ns - static_cast<std::int64_t>(known_ns);
  if (more_ns > 0) has_used(thread, thread.cpu_ns + static_cast<std::uint64_t>(std::min(more_ns, kinship.unknown_ns)));
  kinship.unknown_ns = std::min(kinship.unknown_ns, 2 * tick_ns);
}

void Supervisor::read_last_cpu_time(TrackedThread& thread, LocalTime end) {
  Kinship& kinship = thread.process->kinship;
  std::uint64_t cpu_ns = 0;
  const bool alone = kinship.threads.size() == 1;
  const bool is_first = thread.execution->tid() == thread.execution->pid();
  std::optional<std::uint64_t> used;
  if (alone && process_cpu_time_ns(thread.execution->pid(), cpu_ns)) {
    used = cpu_ns - std::min(cpu_ns, kinship.ended_cpu_ns);
  } else if (thread.counter.cpu_time_ns(cpu_ns)) {
    used = cpu_ns;
  } else if (!alone && is_first && thread.files.cpu_time_ns(cpu_ns)) {
    used = cpu_ns;
  } else if (!alone) {
    used = share_of_ended(thread);
  }
  if (used) {
    has_used(thread, *used);
  } else {
    kinship.cpu_is_unknown = true;
    kinship.unknown_ns += std::max<std::int64_t>((end - thread.cpu_read_at).ns, 0);
    if (alone) ask_parent(thread);
  }
  kinship.ended_cpu_ns += thread.cpu_ns;
}

// Where ends of children cannot be held, their counters are opened while they run.
void Supervisor::count_cpu_of_children(const TrackedProcess& process) {
  for (const std::uint32_t child : process.kinship.children) {
    const auto first = threads_.find(child);
    if (first != threads_.end()) count_cpu(*first->second);
  }
}

void Supervisor::count_cpu(TrackedThread& thread) {
  if (thread.counter || !counters_allowed_) return;
  const bool several = thread.process->several_threads;
  const std::uint32_t pid = thread.execution->pid(), tid = thread.execution->tid();
  std::uint64_t cpu_ns = 0;
  if (!(several ? thread.files.cpu_time_ns(cpu_ns) : process_cpu_time_ns(pid, cpu_ns))) return;
  thread.counter = CpuCounter(tid, cpu_ns);
  if (thread.counter.was_refused()) counters_allowed_ = false;
}

}  // namespace dpm
