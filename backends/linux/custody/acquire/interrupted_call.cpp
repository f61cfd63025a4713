#include "backends/linux/custody/acquire/interrupted_call.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace dpm {
namespace {

constexpr std::int64_t kRestartAfterHandlerIfAsked = -512;  // ERESTARTSYS
constexpr std::int64_t kRestartAlways = -513;               // ERESTARTNOINTR
constexpr std::int64_t kRestartIfNoHandler = -514;          // ERESTARTNOHAND
constexpr std::int64_t kRestartByBlock = -516;              // ERESTART_RESTARTBLOCK: with the time that was left
constexpr unsigned kCallInstructionBytes = 2;               // syscall

// Calls that return EINTR before they have had an effect. Not close(), whose descriptor is gone by then, nor ioctl(), which
// may do anything.
constexpr std::array kNothingHappenedYet = {
    SYS_epoll_wait,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_rt_sigtimedwait,
    SYS_semop,
    SYS_semtimedop,
    SYS_futex_waitv,
    SYS_io_getevents,
    SYS_io_pgetevents,
    SYS_io_uring_enter,
    // These when the socket has a timeout (SO_RCVTIMEO, SO_SNDTIMEO).
    SYS_read,
    SYS_readv,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_write,
    SYS_writev,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_accept,
    SYS_accept4,
    SYS_connect,
    SYS_splice,
    SYS_sendfile,
};

bool is_in_call(const user_regs_struct& registers) { return static_cast<std::int64_t>(registers.orig_rax) >= 0; }

bool fails_because_of_us(const user_regs_struct& registers) {
  return is_in_call(registers) && static_cast<std::int64_t>(registers.rax) == -EINTR &&
         std::find(kNothingHappenedYet.begin(), kNothingHappenedYet.end(), static_cast<long>(registers.orig_rax)) !=
             kNothingHappenedYet.end();
}

}  // namespace

user_regs_struct undisturbed(const user_regs_struct& stopped) {
  user_regs_struct registers = stopped;
  if (fails_because_of_us(stopped)) registers.rax = static_cast<std::uint64_t>(kRestartIfNoHandler);
  return registers;
}

user_regs_struct unassisted(const user_regs_struct& stopped) {
  user_regs_struct registers = undisturbed(stopped);
  if (!is_in_call(registers)) return registers;
  switch (static_cast<std::int64_t>(registers.rax)) {
    case kRestartAfterHandlerIfAsked:
    case kRestartAlways:
    case kRestartIfNoHandler:
      registers.rax = registers.orig_rax;
      registers.rip -= kCallInstructionBytes;
      break;
    case kRestartByBlock:
      registers.rax = SYS_restart_syscall;
      registers.rip -= kCallInstructionBytes;
      break;
    default:
      break;
  }
  return registers;
}

}  // namespace dpm
