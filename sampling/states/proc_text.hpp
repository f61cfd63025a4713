// The lines that /proc has of a thread, as numbers. Text that does not have its form is refused, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sampling/states/system_calls.hpp"

namespace dpm::sampling {

// What a sample needs of /proc/PID/stat.
struct StatLine {
  char letter = '?';
  std::uint32_t parent = 0, group = 0, session = 0;
  std::uint32_t terminal = 0;          // its device number; 0 if it has none
  std::int32_t foreground_group = -1;  // of the terminal
  bool in_kernel = false;              // a thread of the kernel, which no program started
  std::uint32_t threads = 0;
  std::uint64_t start_ticks = 0;  // with the pid it tells a process from a later one
  std::uint32_t processor = 0;    // on which it runs, queues, or ran last

  friend bool operator==(const StatLine&, const StatLine&) = default;
};
std::optional<StatLine> read_stat(std::string_view text);

// /proc/PID/schedstat: exact, from the scheduler. `waited_ns` grows when a wait for a CPU ends.
struct CpuCounters {
  std::uint64_t ran_ns = 0, waited_ns = 0, turns = 0;

  friend bool operator==(const CpuCounters&, const CpuCounters&) = default;
};
std::optional<CpuCounters> read_schedstat(std::string_view text);

std::optional<SystemCall> read_syscall(std::string_view text);

// "" for "0", which is what the kernel writes if the thread does not wait, or if we may not know.
std::string_view read_wchan(std::string_view text);

}  // namespace dpm::sampling
