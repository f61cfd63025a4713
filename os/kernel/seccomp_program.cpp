#include "os/kernel/seccomp_program.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace dpm {
namespace {

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kJumpEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kJumpAnyBit = BPF_JMP | BPF_JSET | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
constexpr std::uint32_t kNumberAt = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchAt = offsetof(seccomp_data, arch);
constexpr std::uint32_t lower_half_at(std::size_t argument) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
}

using Program = std::vector<SeccompInstruction>;

// Whether this is one of the confining calls. Behind it is the answer to all other calls, and behind that the notification.
Program confining_calls() {
  constexpr std::uint8_t kEnd = 11;
  const auto other = [](int at) { return static_cast<std::uint8_t>(kEnd - at - 1); };
  const auto notify = [](int at) { return static_cast<std::uint8_t>(kEnd - at); };
  return {{kJumpEqual, 0, 4, SYS_prctl},
          {kLoad, 0, 0, lower_half_at(0)},
          {kJumpEqual, 0, other(2), PR_SET_SECCOMP},
          {kLoad, 0, 0, lower_half_at(1)},
          {kJumpEqual, notify(4), other(4), SECCOMP_MODE_STRICT},
          {kJumpEqual, 0, other(5), SYS_seccomp},
          {kLoad, 0, 0, lower_half_at(0)},
          {kJumpEqual, notify(7), 0, SECCOMP_SET_MODE_STRICT},
          {kJumpEqual, 0, other(8), SECCOMP_SET_MODE_FILTER},
          {kLoad, 0, 0, lower_half_at(1)},
          {kJumpAnyBit, notify(10), other(10), SECCOMP_FILTER_FLAG_NEW_LISTENER}};
}

// The calls of one architecture: each jumps over the rest to the notification at the end.
Program architecture_branch(std::span<const int> calls, const Program& others) {
  Program branch = {{kLoad, 0, 0, kNumberAt}};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto to_end = static_cast<std::uint8_t>(calls.size() - i + others.size());
    branch.push_back({kJumpEqual, to_end, 0, static_cast<std::uint32_t>(calls[i])});
  }
  branch.insert(branch.end(), others.begin(), others.end());
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  branch.push_back({kLoad, 0, 0, lower_half_at(5)});
  branch.push_back({kJumpEqual, 0, 1, kInjectedCall});
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
  return branch;
}

void append(Program& program, const Program& part) { program.insert(program.end(), part.begin(), part.end()); }

}  // namespace

std::vector<SeccompInstruction> seccomp_program(const NotifiedCalls& calls) {
  const Program native = architecture_branch(calls.native, confining_calls());
  Program program = {{kLoad, 0, 0, kArchAt},
                     {kJumpEqual, 0, static_cast<std::uint8_t>(native.size()), AUDIT_ARCH_X86_64}};
  append(program, native);
  const Program i386 = architecture_branch(calls.i386, {});
  program.push_back({kJumpEqual, 0, static_cast<std::uint8_t>(i386.size()), AUDIT_ARCH_I386});
  append(program, i386);
  program.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  return program;
}

StrictProgram strict_program() {
  constexpr std::uint32_t kRead32 = 3, kWrite32 = 4, kExit32 = 1, kReturn32 = 119;  // calls of i386
  return {{{kLoad, 0, 0, kArchAt},
           {kJumpEqual, 0, 5, AUDIT_ARCH_X86_64},
           {kLoad, 0, 0, kNumberAt},
           {kJumpEqual, 10, 0, SYS_read},
           {kJumpEqual, 9, 0, SYS_write},
           {kJumpEqual, 8, 0, SYS_exit},
           {kJumpEqual, 7, 6, SYS_rt_sigreturn},
           {kJumpEqual, 0, 5, AUDIT_ARCH_I386},
           {kLoad, 0, 0, kNumberAt},
           {kJumpEqual, 4, 0, kRead32},
           {kJumpEqual, 3, 0, kWrite32},
           {kJumpEqual, 2, 0, kExit32},
           {kJumpEqual, 1, 0, kReturn32},
           {kReturn, 0, 0, SECCOMP_RET_TRAP},
           {kReturn, 0, 0, SECCOMP_RET_ALLOW}}};
}

static_assert(sizeof(SeccompInstruction) == sizeof(sock_filter));

UniqueFd try_seccomp_program(std::span<const SeccompInstruction> program) {
  auto* const instructions = const_cast<SeccompInstruction*>(program.data());  // the kernel only reads them
  sock_fprog described{static_cast<unsigned short>(program.size()), reinterpret_cast<sock_filter*>(instructions)};
  const auto install = [&described] {
    return UniqueFd(static_cast<int>(
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &described)));
  };
  UniqueFd listener = install();
  if (listener || errno != EACCES) return listener;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return listener;
  return install();
}

Result<UniqueFd> install_seccomp_program(std::span<const SeccompInstruction> program) {
  UniqueFd listener = try_seccomp_program(program);
  if (listener) return listener;
  if (errno == EBUSY) {
    return Error{
        "this process already runs under a supervisor that is notified of system calls (another meter, or a container "
        "that intercepts calls), and the kernel allows only one: run dpm outside of it"};
  }
  if (errno == EINVAL || errno == ENOSYS || errno == EPERM) {
    return Error::from_errno(
        "this kernel or container does not let dpm install a filter with user notification (dpm doctor says more)");
  }
  return Error::from_errno("install the filter that notifies the meter of calls");
}

}  // namespace dpm
