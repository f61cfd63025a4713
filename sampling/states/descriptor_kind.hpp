// What kind of thing a descriptor is: the second half of a system call's meaning. A read() of a pipe waits for another
// process, one of a terminal for its user.
#pragma once

#include <cstdint>
#include <string_view>

namespace dpm::sampling {

enum class DescriptorKind : std::uint8_t {
  none,     // the call has no descriptor
  unknown,  // it could not be looked at, or several descriptors are waited for
  file,
  directory,
  pipe,
  unix_socket,
  inet_socket,
  other_socket,
  terminal,
  device,
  eventfd,
  signalfd,
  timerfd,
  epoll,
  notifier,  // inotify, fanotify, userfaultfd, seccomp notifications, pidfds and other anonymous inodes
  io_uring,
};

std::string_view name_of(DescriptorKind kind);

// From the link in /proc/PID/fd ("pipe:[123]", "socket:[9]", "anon_inode:[eventfd]", "/tmp/x"). A path is `file` until its
// type is known (kind_of_type), and a socket is `other_socket` until its protocol is (kind_of_protocol).
DescriptorKind kind_of_link(std::string_view link);
// From the extended attribute "system.sockprotoname" that each socket has: "UNIX-STREAM", "TCP", "UDPv6", "NETLINK".
DescriptorKind kind_of_protocol(std::string_view protocol);
// From st_mode and st_rdev of the file behind a path.
DescriptorKind kind_of_type(std::uint32_t mode, std::uint32_t device_major);

}  // namespace dpm::sampling
