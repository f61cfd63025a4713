// The system call by which a process gives all its threads a filter. The process itself must make it:
// seccomp(kSetFilter, kAllThreadsWithListener, pointer to FilterProgram) returns the listener.
//
// It fails for all threads if one of them has a filter that the caller does not have (ESRCH), if there is a listener
// already (EBUSY), or if the caller may gain privileges by executing a program (EACCES).
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
