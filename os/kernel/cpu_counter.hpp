// The CPU time of one thread, or of a process, readable even after it is gone: a counter of the kernel
// (perf_event_open) that counts to its end. The ordinary clocks (tracee.hpp) vanish with the process, at the latest
// when its parent reaps it, microseconds after its end.
//
// On a virtual machine it also counts time that a busy host took from the machine: a few milliseconds more than the
// clocks where that happens, 0.2 ms less where it does not. Since Linux 6.16 it ends before the kernel frees the memory
// of the process: measured, 27 ms less for 300 MB.
//
// The clock of a process that runs on another CPU is as old as the last tick there (measured: 4 ms with 250 ticks a
// second). A counter that was opened then lacks that much until clock_says() has heard of the clock after a tick.
//
// Costs about 40 us for opening and closing. Allowed to root, and to everyone for their own processes where
// kernel.perf_event_paranoid is 2 or less; Debian ships with 3.
#pragma once

#include <cstdint>

#include "os/unique_fd.hpp"

namespace dpm {

class CpuCounter {
 public:
  enum class Scope : std::uint8_t { thread, thread_and_those_it_starts };

  CpuCounter() = default;
  // Counts from now on. `used_ns`: what was used before. The threads that a process's only thread starts, and those
  // that they start, are its process.
  CpuCounter(std::uint32_t tid, Scope scope, std::uint64_t used_ns);

  // The clock of what is counted has just been read: `used_ns`, which may be old, and is never too much.
  void clock_says(std::uint64_t used_ns);

  bool was_refused() const { return refused_; }  // not allowed here, for any thread

  explicit operator bool() const { return static_cast<bool>(counter_); }
  // Up to its end, if it has ended.
  bool cpu_time_ns(std::uint64_t& cpu_ns) const;

 private:
  UniqueFd counter_;
  std::uint64_t used_before_ns_ = 0;
  bool refused_ = false;
};

}  // namespace dpm
