#include "sampling/states/descriptor_kind.hpp"

#include <sys/stat.h>

#include <array>

namespace dpm::sampling {
namespace {

constexpr std::array<std::string_view, 16> kNames = {
    "none",     "unknown", "file",    "directory", "pipe",    "unix_socket", "inet_socket", "other_socket",
    "terminal", "device",  "eventfd", "signalfd",  "timerfd", "epoll",       "notifier",    "io_uring"};

// Major numbers of character devices that are terminals: consoles and serial lines, /dev/tty, pseudo-terminals, serial
// lines of virtual machines and of USB (Documentation/admin-guide/devices.txt).
bool is_terminal(std::uint32_t major) {
  return major == 4 || major == 5 || (major >= 136 && major <= 143) || major == 188 || major == 204 || major == 229;
}

}  // namespace

std::string_view name_of(DescriptorKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

DescriptorKind kind_of_link(std::string_view link) {
  if (link.starts_with("/")) return DescriptorKind::file;
  if (link.starts_with("pipe:")) return DescriptorKind::pipe;
  if (link.starts_with("socket:")) return DescriptorKind::other_socket;
  if (!link.starts_with("anon_inode:")) return DescriptorKind::unknown;
  std::string_view name = link.substr(11);
  if (name.starts_with("[") && name.ends_with("]")) name = name.substr(1, name.size() - 2);
  if (name == "eventfd") return DescriptorKind::eventfd;
  if (name == "signalfd") return DescriptorKind::signalfd;
  if (name == "timerfd") return DescriptorKind::timerfd;
  if (name == "eventpoll") return DescriptorKind::epoll;
  if (name == "io_uring") return DescriptorKind::io_uring;
  return DescriptorKind::notifier;
}

DescriptorKind kind_of_protocol(std::string_view protocol) {
  if (protocol.starts_with("UNIX")) return DescriptorKind::unix_socket;
  for (const std::string_view inet : {"TCP", "MPTCP", "UDP", "RAW", "PING", "SCTP", "DCCP", "SMC"})
    if (protocol.starts_with(inet)) return DescriptorKind::inet_socket;
  return DescriptorKind::other_socket;
}

DescriptorKind kind_of_type(std::uint32_t mode, std::uint32_t device_major) {
  if (S_ISDIR(mode)) return DescriptorKind::directory;
  if (S_ISFIFO(mode)) return DescriptorKind::pipe;
  if (S_ISSOCK(mode)) return DescriptorKind::other_socket;
  if (S_ISCHR(mode)) return is_terminal(device_major) ? DescriptorKind::terminal : DescriptorKind::device;
  return DescriptorKind::file;  // a block device is read like a file
}

}  // namespace dpm::sampling
