// The filter of a metered program: a few of its system calls wait for the supervisor, and all others run untouched.
//
// Only calls that may fail with EINTR anyway can be notified without harm: while a notification waits, a signal handler
// without SA_RESTART makes the call return EINTR, and programs do not expect that from close(), dup() or fork().
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// Always notified are also 64-bit calls with which a thread confines itself in a way that the kernel refuses because of
// this filter: prctl() and seccomp() with strict mode (strict_mode.hpp), and seccomp() with a filter that has a listener.
struct NotifiedCalls {
  std::span<const int> native;  // by their x86-64 numbers
  std::span<const int> i386;    // calls of 32-bit programs, by their i386 numbers
};

// A call with this value in its sixth argument was injected by dpm into a process that it acquires. The filter allows
// it.
inline constexpr std::uint32_t kInjectedCall = 0x44504d21;

// A classic BPF program, as the kernel wants it: struct sock_filter, eight bytes each.
struct SeccompInstruction {
  std::uint16_t code = 0;
  std::uint8_t jump_true = 0;
  std::uint8_t jump_false = 0;
  std::uint32_t k = 0;
};
std::vector<SeccompInstruction> seccomp_program(const NotifiedCalls& calls);

// A filter that allows what strict mode allows, in programs of both architectures (kernel/seccomp.c: mode1_syscalls), and
// sends SIGSYS at any other call. A notification of the call does not outweigh that.
using StrictProgram = std::array<SeccompInstruction, 15>;
StrictProgram strict_program();

// Installs the filter on the calling thread, and returns its listener (close-on-exec). Without the right to
// administrate the machine (CAP_SYS_ADMIN) this sets no_new_privs first, which is irrevocable and inherited.
// Allocates memory only for an error: the child of a process with several threads may call it.
Result<UniqueFd> install_seccomp_program(std::span<const SeccompInstruction> program);

// The same, but if the kernel refuses, the listener is empty and errno tells why.
UniqueFd try_seccomp_program(std::span<const SeccompInstruction> program);

}  // namespace dpm
