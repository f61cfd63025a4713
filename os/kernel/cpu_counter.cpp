#include "os/kernel/cpu_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace dpm {

CpuCounter::CpuCounter(std::uint32_t tid, Scope scope, std::uint64_t used_ns) : used_before_ns_(used_ns) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  // Asked for because ordinary users must; the task clock counts what the kernel does for the thread all the same.
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = attributes.inherit_thread = scope == Scope::thread_and_those_it_starts ? 1 : 0;
  counter_ = UniqueFd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, static_cast<pid_t>(tid), -1, -1, PERF_FLAG_FD_CLOEXEC)));
  refused_ = !counter_ && errno != ESRCH;
}

void CpuCounter::clock_says(std::uint64_t used_ns) {
  std::uint64_t known_ns = 0;
  if (cpu_time_ns(known_ns) && used_ns > known_ns) used_before_ns_ += used_ns - known_ns;
}

bool CpuCounter::cpu_time_ns(std::uint64_t& cpu_ns) const {
  std::uint64_t counted_ns = 0;
  if (!counter_ || ::read(counter_.get(), &counted_ns, sizeof counted_ns) != sizeof counted_ns) return false;
  cpu_ns = used_before_ns_ + counted_ns;
  return true;
}

}  // namespace dpm
