#include "backends/linux/custody/acquire/interrupted_call.hpp"

#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kPc = 0x401002;

user_regs_struct stopped_in(long call, std::int64_t result) {
  user_regs_struct registers = {};
  registers.orig_rax = static_cast<std::uint64_t>(call);
  registers.rax = static_cast<std::uint64_t>(result);
  registers.rip = kPc;
  registers.rcx = 1;
  registers.rdi = 2;
  return registers;
}

std::int64_t result_of(const user_regs_struct& registers) { return static_cast<std::int64_t>(registers.rax); }

}  // namespace

TEST_CASE("acquire: a call that would fail with EINTR because of us is made again, unless a handler runs", "[linux]") {
  for (const long call : {SYS_epoll_wait, SYS_epoll_pwait, SYS_rt_sigtimedwait, SYS_semtimedop, SYS_recvfrom})
    CHECK(result_of(undisturbed(stopped_in(call, -EINTR))) == -514);
  // When these return EINTR they have had an effect, or may have had one.
  for (const long call : {SYS_close, SYS_ioctl}) CHECK(result_of(undisturbed(stopped_in(call, -EINTR))) == -EINTR);
  CHECK(result_of(undisturbed(stopped_in(SYS_epoll_wait, 3))) == 3);
  // In user mode rax is just a register.
  CHECK(result_of(undisturbed(stopped_in(-1, -EINTR))) == -EINTR);
}

TEST_CASE("acquire: what the kernel makes again by itself is left to it", "[linux]") {
  for (const int restart : {512, 513, 514, 516}) {
    const auto registers = undisturbed(stopped_in(SYS_read, -restart));
    CHECK(result_of(registers) == -restart);
    CHECK(registers.rip == kPc);
  }
}

TEST_CASE("acquire: without the kernel's help a call is made again from its instruction", "[linux]") {
  for (const int restart : {512, 513, 514}) {
    const auto registers = unassisted(stopped_in(SYS_read, -restart));
    CHECK(result_of(registers) == SYS_read);
    CHECK(registers.rip == kPc - 2);
    CHECK(registers.rdi == 2);
  }
  CHECK(result_of(unassisted(stopped_in(SYS_nanosleep, -516))) == SYS_restart_syscall);
  const auto polled = unassisted(stopped_in(SYS_epoll_wait, -EINTR));
  CHECK(result_of(polled) == SYS_epoll_wait);
  CHECK(polled.rip == kPc - 2);
}

TEST_CASE("acquire: a thread that computes, or whose call has ended, goes on where it is", "[linux]") {
  for (const auto& registers : {stopped_in(-1, -512), stopped_in(SYS_read, 5), stopped_in(SYS_read, -EAGAIN)}) {
    const auto same = unassisted(registers);
    CHECK(same.rax == registers.rax);
    CHECK(same.rip == kPc);
  }
}

}  // namespace dpm
