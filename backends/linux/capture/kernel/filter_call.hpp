// The system call by which a process gives all its threads a filter, as the process itself has to make it:
// seccomp(kSetFilter, kAllThreadsWithListener, pointer to FilterProgram) returns the listener.
//
// It fails as a whole if one thread has a filter that the caller has not (ESRCH, as if it were not there), if a
// listener is there already (EBUSY), or if the caller may gain privileges by executing a program (EACCES).
#pragma once

#include <cstdint>

namespace dpm {

inline constexpr std::uint32_t kSetFilter = 1;
inline constexpr std::uint32_t kAllThreadsWithListener = 0b1'1001;

// struct sock_fprog
struct FilterProgram {
  std::uint16_t instruction_count = 0;
  std::uint64_t instructions = 0;  // address, in the process that makes the call, of an array of SeccompInstruction
};

}  // namespace dpm
