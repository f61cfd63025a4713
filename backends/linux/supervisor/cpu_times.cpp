#include "backends/linux/supervisor/cpu_times.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "model/counted.hpp"

namespace dpm {
namespace {

// Of kernels with 100 ticks a second, and the time until it is looked at.
constexpr std::int64_t kLongestTickNs = 12'000'000;

std::int64_t tick_ns() { return 1'000'000'000 / ::sysconf(_SC_CLK_TCK); }

}  // namespace

void CpuTimes::acquired(TrackedProcess& process, std::uint32_t pid) const {
  std::uint64_t total_ns = 0, running_ns = 0;
  shared_.kernel.process_cpu_time_ns(pid, total_ns);
  const std::vector<std::uint32_t> threads = shared_.kernel.read_thread_ids(pid);
  for (const std::uint32_t tid : threads) {
    std::uint64_t cpu_ns = 0;
    if (shared_.kernel.files_of(pid, tid)->cpu_time_ns(cpu_ns)) running_ns += cpu_ns;
  }
  process.several_threads |= threads.size() > 1;
  process.kinship.ended_cpu_ns = total_ns - std::min(total_ns, running_ns);
  if (const auto state = shared_.kernel.read_child(pid))
    process.kinship.reaped_cpu_ns = state->reaped_ticks * static_cast<std::uint64_t>(tick_ns());
}

// The process's clock is cheaper to read than the thread's file. It has the time of ended threads, too.
bool CpuTimes::has_used_so_far(const TrackedThread& thread, std::uint64_t& cpu_ns) const {
  if (thread.process->several_threads) return thread.files->cpu_time_ns(cpu_ns);
  if (!shared_.kernel.process_cpu_time_ns(thread.metered->pid(), cpu_ns)) return false;
  cpu_ns -= std::min(cpu_ns, thread.process->kinship.ended_cpu_ns);
  return true;
}

void CpuTimes::read(TrackedThread& thread) {
  std::uint64_t cpu_ns = 0;
  if (has_used_so_far(thread, cpu_ns)) has_used(thread, cpu_ns);
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

// Another thread has executed a program, and has the number of the first, which has ended: what is read under that number is that thread's.
bool CpuTimes::is_taken_over(const TrackedThread& thread) const {
  const std::uint32_t pid = thread.metered->pid();
  return thread.metered->tid() == pid && !shared_.kernel.is_ending(pid, pid).value_or(true);
}

// The CPU time of an ended thread, among other threads of its process.
std::optional<std::uint64_t> CpuTimes::share_of_ended(TrackedThread& thread) {
  constexpr std::size_t kThreadsMax = 256;
  const Kinship& kinship = thread.process->kinship;
  std::uint64_t total_ns = 0;
  // The process's clock first: what its running threads use meanwhile is theirs.
  if (kinship.threads.size() > kThreadsMax || !process_has_used(thread, total_ns)) return std::nullopt;
  std::uint64_t accounted_ns = kinship.ended_cpu_ns + thread.cpu_ns, sharing = 1, heirs_ns = 0;
  const bool has_heir = is_taken_over(thread) && thread.files->cpu_time_ns(heirs_ns);
  for (TrackedThread* other : kinship.threads) {
    if (other == &thread) continue;
    std::uint64_t cpu_ns = heirs_ns;
    const bool is_heir = has_heir && kinship.threads.size() == 2;
    const bool is_there = is_heir || other->files->cpu_time_ns(cpu_ns);
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
  const std::int64_t tick = tick_ns();
  const auto total_ns = static_cast<std::int64_t>(state->reaped_ticks) * tick;
  const std::uint64_t known_ns =
      parent->kinship.reaped_cpu_ns + kinship.ended_cpu_ns + kinship.reaped_cpu_ns + thread.cpu_ns;
  const std::int64_t more_ns = total_ns - static_cast<std::int64_t>(known_ns);
  if (more_ns > 0) has_used(thread, thread.cpu_ns + static_cast<std::uint64_t>(std::min(more_ns, kinship.unknown_ns)));
  kinship.unknown_ns = std::min(kinship.unknown_ns, 2 * tick);
}

void CpuTimes::read_last(TrackedThread& thread, LocalTime end) {
  Kinship& kinship = thread.process->kinship;
  std::uint64_t cpu_ns = 0;
  const bool alone = kinship.threads.size() == 1;
  const bool is_first = thread.metered->tid() == thread.metered->pid();
  std::optional<std::uint64_t> used;
  if (alone && process_has_used(thread, cpu_ns)) {
    used = cpu_ns - std::min(cpu_ns, kinship.ended_cpu_ns);
  } else if (thread.counter.cpu_time_ns(cpu_ns) ||
             (!alone && is_first && thread.files->cpu_time_ns(cpu_ns) && !is_taken_over(thread))) {
    used = cpu_ns;
  } else if (!alone) {
    used = share_of_ended(thread);
  }
  if (used) {
    has_used(thread, *used);
  } else {
    kinship.cpu_is_unknown = true;
    kinship.unknown_ns += std::max<std::int64_t>((end - thread.cpu_read_at).ns, 0);
    unknown_from_ = std::min(unknown_from_, thread.cpu_read_at);
    unknown_to_ = std::max(unknown_to_, end);
    if (alone) ask_parent(thread);
  }
  kinship.ended_cpu_ns += thread.cpu_ns;
}

// Its clock goes on under the number of the process, and counts what it used before. Other threads may have got a share of that, as long
// as it could not be found under its old number.
void CpuTimes::goes_on(TrackedThread& executing, TrackedThread& first) {
  Kinship& kinship = executing.process->kinship;
  std::uint64_t cpu_ns = 0, total_ns = 0;
  const bool is_known = first.files->cpu_time_ns(cpu_ns) && process_has_used(first, total_ns);
  if (is_known) has_used(executing, std::min(cpu_ns, total_ns - std::min(total_ns, kinship.ended_cpu_ns)));
  kinship.ended_cpu_ns += executing.cpu_ns;
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
  // Of one that is just ending no counter can be opened.
  has_used(thread, several ? cpu_ns : cpu_ns - std::min(cpu_ns, thread.process->kinship.ended_cpu_ns));
  CpuCounter& counter = several ? thread.counter : all;
  const auto scope = several ? CpuCounter::Scope::thread : CpuCounter::Scope::thread_and_those_it_starts;
  counter = shared_.kernel.count_cpu(tid, scope, cpu_ns);
  if (counter.was_refused()) counters_allowed_ = false;
  if (counter) compared_.push_back({tid, shared_.kernel.steady_ns() + kLongestTickNs});
}

void CpuTimes::compare_counters(std::int64_t now_ns) {
  std::erase_if(compared_, [&](const Comparison& comparison) {
    TrackedThread* thread = shared_.table.thread(comparison.tid);
    if (thread == nullptr) return true;
    std::uint64_t cpu_ns = 0;
    CpuCounter& all = thread->process->kinship.counter;
    if (all && shared_.kernel.process_cpu_time_ns(thread->metered->pid(), cpu_ns)) all.clock_says(cpu_ns);
    if (thread->counter && thread->files->cpu_time_ns(cpu_ns)) thread->counter.clock_says(cpu_ns);
    return now_ns >= comparison.until_ns;
  });
}

void CpuTimes::is_gone(const Kinship& kinship) {
  unknown_ends_ += kinship.cpu_is_unknown ? 1 : 0;
  unknown_cpu_ns_ += kinship.unknown_ns;
}

std::optional<std::string> CpuTimes::warning() const {
  if (unknown_ends_ == 0) return std::nullopt;
  std::string text = fmt::format("CPU time after the last metered call is unknown for {}, which ended too soon",
                                 counted(unknown_ends_, "process"));
  // Each thread may have run all the time, but not more of them at once than there are processors.
  const double most_s = static_cast<double>(unknown_cpu_ns_) * 1e-9;
  const double possible_s = static_cast<double>((unknown_to_ - unknown_from_).ns) * 1e-9 *
                            static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (most_s < possible_s) text += fmt::format(": at most {:.3f} s in all", most_s);
  return text;
}

}  // namespace dpm
