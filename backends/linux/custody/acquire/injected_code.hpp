// The instructions that a process executes for us when it is acquired. Pure: bytes from numbers.
//
// They take the thread all the way: install the filter, keep a spare duplicate of its listener, close the original, and
// go back to where the thread was, with the registers it had. They use no stack, write no memory, and change no flags.
// So from the first of them on the thread needs nobody: whoever sent it here may die at any instant.
//
//     begin_without_privileges:  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
//     begin:                     listener = seccomp(SET_MODE_FILTER, all threads with listener, program)
//                                fcntl(listener, F_DUPFD, spare)
//                                close(listener)
//                                rt_sigprocmask(SIG_SETMASK, blocked signals)
//                                load all registers, jump back
//
// After a failed seccomp() the two calls that follow fail as well, and nothing has changed. The calls carry the mark of
// an injected call, which the new filter lets pass.
#pragma once

#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/linux/capture/kernel/seccomp_program.hpp"

namespace dpm {

struct Injected {
  std::span<const SeccompInstruction> filter;
  int spare_number = 0;               // the least for the listener's duplicate
  std::uint64_t blocked_signals = 0;  // those of the thread before
  user_regs_struct registers = {};    // those with which it goes on; orig_rax and segments are not ours to set
};

struct InjectedCode {
  std::vector<std::byte> bytes;  // a multiple of eight
  std::uint64_t begin = 0, begin_without_privileges = 0;
};

// To be placed at `address`, a multiple of sixteen. Its size does not depend on the address.
InjectedCode injected_code(const Injected& injected, std::uint64_t address);

}  // namespace dpm
