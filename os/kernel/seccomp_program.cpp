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
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
constexpr std::uint32_t kNumberAt = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchAt = offsetof(seccomp_data, arch);
constexpr std::uint32_t kMarkAt = offsetof(seccomp_data, args) + 5 * sizeof(std::uint64_t);

using Program = std::vector<SeccompInstruction>;

// The calls of one architecture: each jumps over the rest to the notification at the end.
Program architecture_branch(std::span<const int> calls) {
  Program branch = {{kLoad, 0, 0, kNumberAt}};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto to_end = static_cast<std::uint8_t>(calls.size() - i);
    branch.push_back({kJumpEqual, to_end, 0, static_cast<std::uint32_t>(calls[i])});
  }
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  branch.push_back({kLoad, 0, 0, kMarkAt});
  branch.push_back({kJumpEqual, 0, 1, kInjectedCall});
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  branch.push_back({kReturn, 0, 0, SECCOMP_RET_USER_NOTIF});
  return branch;
}

void append(Program& program, const Program& part) { program.insert(program.end(), part.begin(), part.end()); }

}  // namespace

std::vector<SeccompInstruction> seccomp_program(const NotifiedCalls& calls) {
  const Program native = architecture_branch(calls.native);
  Program program = {{kLoad, 0, 0, kArchAt},
                     {kJumpEqual, 0, static_cast<std::uint8_t>(native.size()), AUDIT_ARCH_X86_64}};
  append(program, native);
  const Program i386 = architecture_branch(calls.i386);
  program.push_back({kJumpEqual, 0, static_cast<std::uint8_t>(i386.size()), AUDIT_ARCH_I386});
  append(program, i386);
  program.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
  return program;
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
        "this kernel or container does not let us install a filter with user notification (dpm doctor says more)");
  }
  return Error::from_errno("install the filter that notifies the meter of calls");
}

}  // namespace dpm
