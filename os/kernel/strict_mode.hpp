// Strict mode (seccomp's mode 1) for a thread that carries a filter, which the kernel refuses: a thread has one mode.
//
// The thread is made to install one more filter, which lets it read, write, exit and return from signal handlers. At any
// other call it gets a signal (SECCOMP_RET_TRAP). A process of ours traces the thread, and ends it then as strict mode
// does: by SIGKILL, or without a status if its process has other threads. If that process is killed, the call is still not
// made, and the signal (SIGSYS) ends the program unless it has a handler.
#pragma once

#include <cstdint>

namespace dpm {

// The thread waits in a call that asks for strict mode, in a notification. Returns when the call has succeeded, about two
// milliseconds later; there is nothing to answer then. False: the thread is as it was, or has ended, or its call failed with EINVAL.
bool enter_strict_mode(std::uint32_t tid, std::uint32_t pid);

}  // namespace dpm
