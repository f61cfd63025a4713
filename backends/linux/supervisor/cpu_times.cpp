#include "backends/linux/supervisor/cpu_times.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace dpm {

// The process's clock is cheaper to read than the thread's file, and the same while there is one thread.
void CpuTimes::read(TrackedThread& thread) {
  std::uint64_t cpu_ns = 0;
  const bool known = thread.process->several_threads
                         ? thread.files->cpu_time_ns(cpu_ns)
                         : shared_.kernel.process_cpu_time_ns(thread.metered->pid(), cpu_ns);
  if (known) has_used(thread, cpu_ns);
}

void CpuTimes::has_used(TrackedThread& thread, std::uint64_t cpu_ns) {
  thread.metered->read_cpu_time(cpu_ns, call_cost_ns_);
  thread.cpu_ns = std::max(thread.cpu_ns, cpu_ns);
  thread.cpu_read_at = shared_.clock.now();
}

// All its threads together, also after they are gone.
bool CpuTimes::process_has_used(const TrackedThread& thread, std::uint64_t& cpu_ns) const {
  return shared_.kernel.process_cpu_time_ns(thread.metered->pid(), cpu_ns) ||
         thread.process->kinship.counter.cpu_time_ns(cpu_ns);
}

// The CPU time of an ended thread, among other threads of its process.
std::optional<std::uint64_t> CpuTimes::share_of_ended(TrackedThread& thread) {
  constexpr std::size_t kThreadsMax = 256;
  const Kinship& kinship = thread.process->kinship;
  std::uint64_t total_ns = 0;
  // The process's clock first: reading it brings the numbers of its running threads up to date.
  if (kinship.threads.size() > kThreadsMax || !process_has_used(thread, total_ns)) return std::nullopt;
  std::uint64_t accounted_ns = kinship.ended_cpu_ns + thread.cpu_ns, sharing = 1;
  for (TrackedThread* other : kinship.threads) {
    if (other == &thread) continue;
    std::uint64_t cpu_ns = 0;
    const bool is_there = other->files->cpu_time_ns(cpu_ns);
    accounted_ns += is_there ? cpu_ns : other->cpu_ns;
    sharing += is_there ? 0 : 1;
  }
  return thread.cpu_ns + (total_ns > accounted_ns ? total_ns - accounted_ns : 0) / sharing;
}

// The process is gone; its CPU time is part of a sum that its parent has.
void CpuTimes::ask_parent(TrackedThread& thread) {
  Kinship& kinship = thread.process->kinship;
  const TrackedProcess* parent = shared_.table.process(kinship.parent_pid);
  const auto state = parent == nullptr ? std::nullopt : shared_.kernel.read_child(kinship.parent_pid);
  if (!state) return;
  const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  const auto total_ns = static_cast<std::int64_t>(state->reaped_ticks) * tick_ns;
  const std::uint64_t known_ns =
      parent->kinship.reaped_cpu_ns + kinship.ended_cpu_ns + kinship.reaped_cpu_ns + thread.cpu_ns;
  const std::int64_t more_ns = total_ns - static_cast<std::int64_t>(known_ns);
  if (more_ns > 0) has_used(thread, thread.cpu_ns + static_cast<std::uint64_t>(std::min(more_ns, kinship.unknown_ns)));
  kinship.unknown_ns = std::min(kinship.unknown_ns, 2 * tick_ns);
}

void CpuTimes::read_last(TrackedThread& thread, LocalTime end) {
  Kinship& kinship = thread.process->kinship;
  std::uint64_t cpu_ns = 0;
  const bool alone = kinship.threads.size() == 1;
  const bool is_first = thread.metered->tid() == thread.metered->pid();
  std::optional<std::uint64_t> used;
  if (alone && process_has_used(thread, cpu_ns)) {
    used = cpu_ns - std::min(cpu_ns, kinship.ended_cpu_ns);
  } else if (thread.counter.cpu_time_ns(cpu_ns) || (!alone && is_first && thread.files->cpu_time_ns(cpu_ns))) {
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

void CpuTimes::count_children(const TrackedProcess& process) {
  for (const std::uint32_t child : process.kinship.children)
    if (TrackedThread* first = shared_.table.thread(child)) count(*first);
}

void CpuTimes::count(TrackedThread& thread) {
  CpuCounter& all = thread.process->kinship.counter;
  if (thread.counter || all || !counters_allowed_) return;
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  // Some may not have been announced yet.
  const bool several = thread.process->several_threads || shared_.kernel.read_thread_ids(pid).size() > 1;
  std::uint64_t cpu_ns = 0;
  const bool known = several ? thread.files->cpu_time_ns(cpu_ns) : shared_.kernel.process_cpu_time_ns(pid, cpu_ns);
  if (!known) return;
  has_used(thread, cpu_ns);  // of one that is just ending no counter can be opened
  CpuCounter& counter = several ? thread.counter : all;
  const auto scope = several ? CpuCounter::Scope::thread : CpuCounter::Scope::thread_and_those_it_starts;
  counter = shared_.kernel.count_cpu(tid, scope, cpu_ns);
  if (counter.was_refused()) counters_allowed_ = false;
}

void CpuTimes::is_gone(const Kinship& kinship) {
  unknown_ends_ += kinship.cpu_is_unknown ? 1 : 0;
  unknown_cpu_ns_ += kinship.unknown_ns;
}

std::optional<std::string> CpuTimes::warning() const {
  if (unknown_ends_ == 0) return std::nullopt;
  return fmt::format(
      "CPU time after the last metered call is unknown for {} processes, which were gone too soon: at most {:.3f} s in "
      "all",
      unknown_ends_, static_cast<double>(unknown_cpu_ns_) * 1e-9);
}

}  // namespace dpm
