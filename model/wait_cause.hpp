// What a process waited for, of what no event tells: in all, from its beginning to the end of the trace.
//
// READYTIME says how long a process was ready and did not run; these say which program had the CPU meanwhile. Rows of the same
// process, reason and program add up. What they leave of READYTIME is of programs that are not known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.hpp"

namespace dpm {

enum class WaitReason : std::uint8_t {
  cpu = 0,     // the other program had the CPU
  lock = 1,    // a lock: the other woke it
  timer = 2,   // it asked to be woken after a time, or what it waited for did not come in the time that it had chosen
  signal = 3,  // the other sent it a signal
};
inline constexpr std::array<std::string_view, 4> kWaitReasonNames = {"cpu", "lock", "timer", "signal"};

// The name of no program: the CPU was free, and the process was on its way to it.
inline constexpr std::string_view kIdleCpu = "(waking up)";

struct WaitCause {
  ProcessId process;
  WaitReason reason = WaitReason::cpu;
  ProcessId other;   // none: a program that the trace does not describe, which has a
  std::string name;  // or no program
  std::uint64_t time_ns = 0;

  friend bool operator==(const WaitCause&, const WaitCause&) = default;
};

}  // namespace dpm
