// The instructions that a process executes for us when it is acquired. No I/O.
//
// They install the filter, keep a spare duplicate of its listener, close the original, and return to where the thread was,
// with its registers. They use no stack, write no memory, and change no flags. So from the first instruction on the thread
// needs no help: the injector may die at any moment.
//
//     begin_without_privileges:  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
//     begin:                     listener = seccomp(SET_MODE_FILTER, all threads with listener, program)
//                                fcntl(listener, F_DUPFD, spare)
//                                close(listener)
//                                rt_sigprocmask(SIG_SETMASK, blocked signals)
//                                load all registers, jump back
//
// After a failed seccomp() the next two calls fail as well, without a change. The calls carry the mark of an injected call,
// which the new filter lets pass.
#pragma once

#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "os/kernel/seccomp_program.hpp"

namespace dpm {

struct Injected {
  std::span<const SeccompInstruction> filter;
  int spare_number = 0;               // lowest number for the listener's duplicate
  std::uint64_t blocked_signals = 0;  // of the thread, before
  user_regs_struct registers = {};    // with which it goes on; orig_rax and segments are ignored
};

struct InjectedCode {
  std::vector<std::byte> bytes;  // a multiple of eight
  std::uint64_t begin = 0, begin_without_privileges = 0;
};

// Code for `address`, a multiple of sixteen. Its size does not depend on the address.
InjectedCode injected_code(const Injected& injected, std::uint64_t address);

}  // namespace dpm
