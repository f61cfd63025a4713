// The filter a metered program carries: a few of its system calls wait for the supervisor, all others run untouched.
//
// Only calls that may fail with EINTR anyway can be notified without harm: while a notification waits, a signal handler
// without SA_RESTART makes the call return EINTR, and close(), dup() or fork() are never prepared for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct NotifiedCalls {
  std::span<const int> native;  // by their x86-64 numbers
  std::span<const int> i386;    // calls of 32-bit programs, by their i386 numbers
};

// What a call that carries this in its sixth argument is: one of ours, injected into a process we acquire. It is
// allowed.
inline constexpr std::uint32_t kInjectedCall = 0x44504d21;

// A classic BPF program, as the kernel wants it: struct sock_filter, eight bytes each.
struct SeccompInstruction {
  std::uint16_t code = 0;
  std::uint8_t jump_true = 0;
  std::uint8_t jump_false = 0;
  std::uint32_t k = 0;
};
std::vector<SeccompInstruction> seccomp_program(const NotifiedCalls& calls);

// Installs the filter on the calling thread, and returns its listener (close-on-exec). Without the right to
// administrate the machine (CAP_SYS_ADMIN) this sets no_new_privs first, which is irrevocable and inherited.
Result<UniqueFd> install_seccomp_program(const NotifiedCalls& calls);

// The same with the kernel's own answer: the listener is empty, and errno says why, when it is refused.
UniqueFd try_seccomp_program(const NotifiedCalls& calls);

}  // namespace dpm
