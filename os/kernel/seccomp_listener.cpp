#include "os/kernel/seccomp_listener.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstddef>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS  // younger than Debian 12's headers
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

namespace dpm {

static_assert(kNativeArch == AUDIT_ARCH_X86_64);
static_assert(sizeof(Notification) == sizeof(seccomp_notif));
static_assert(offsetof(Notification, tid) == offsetof(seccomp_notif, pid));
static_assert(offsetof(Notification, call) == offsetof(seccomp_notif, data.nr));
static_assert(offsetof(Notification, arch) == offsetof(seccomp_notif, data.arch));
static_assert(offsetof(Notification, pc) == offsetof(seccomp_notif, data.instruction_pointer));
static_assert(offsetof(Notification, arguments) == offsetof(seccomp_notif, data.args));

SeccompListener::Received SeccompListener::receive(Notification& notification) {
  if (::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, &notification) == 0) return Received::one;
  if (errno == EINTR) return Received::none;
  if (errno != ENOENT) return Received::ended;
  // Either the call was interrupted before it was received, or (since 6.11) the last process has ended.
  return has_ended() ? Received::ended : Received::none;
}

bool SeccompListener::has_ended() const {
  pollfd listener{fd_.get(), 0, 0};
  return ::poll(&listener, 1, 0) == 1 && (listener.revents & POLLHUP) != 0;
}

bool SeccompListener::let_go(std::uint64_t id) {
  seccomp_notif_resp response = {};
  response.id = id;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  return ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

bool SeccompListener::fail(std::uint64_t id, int error_number) {
  seccomp_notif_resp response = {};
  response.id = id;
  response.error = -error_number;
  return ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

bool SeccompListener::waits(std::uint64_t id) const {
  return ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

bool SeccompListener::set_sync_wake_up(bool on) {
  return ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, on ? SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP : 0ul) == 0;
}

}  // namespace dpm
