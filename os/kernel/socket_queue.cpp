#include "os/kernel/socket_queue.hpp"

#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "os/kernel/descriptor.hpp"

namespace dpm {
namespace {

bool has_peek_position(int fd) {
  int position = -1;
  socklen_t length = sizeof position;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &position, &length) == 0 && position >= 0;
}

bool set_peek_position(int fd, std::uint64_t position) {
  const int value = static_cast<int>(position);
  return position <= INT_MAX && ::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &value, sizeof value) == 0;
}

bool is_internet(int fd) {
  int domain = 0;
  socklen_t length = sizeof domain;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain != AF_UNIX;
}

std::optional<WaitingDatagram> peek(int fd) {
  sockaddr_storage address = {};
  std::array<char, kBeginningBytes> beginning = {};
  alignas(cmsghdr) std::array<char, 256> control;
  iovec part{beginning.data(), beginning.size()};
  msghdr message = {};
  message.msg_name = &address;
  message.msg_namelen = sizeof address;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = is_internet(fd) ? control.size() : 0;  // of a UNIX socket, it would get descriptors
  const ssize_t size = ::recvmsg(fd, &message, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  const std::string_view seen(beginning.data(), std::min(static_cast<std::size_t>(size), beginning.size()));
  return WaitingDatagram{static_cast<std::uint32_t>(size), socket_name(&address, message.msg_namelen),
                         beginning_of(seen), merged_part_bytes(message)};
}

constexpr int kUdpGro = 104;

}  // namespace

std::uint64_t beginning_of(std::string_view datagram) {
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(datagram.substr(0, kBeginningBytes)), 1);
}

std::uint32_t merged_part_bytes(msghdr& message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    int bytes = 0;
    if (at->cmsg_level != IPPROTO_UDP || at->cmsg_type != kUdpGro || at->cmsg_len < CMSG_LEN(sizeof bytes)) continue;
    std::memcpy(&bytes, CMSG_DATA(at), sizeof bytes);
    return static_cast<std::uint32_t>(bytes);
  }
  return 0;
}

bool merges_datagrams(int fd) {
  int merges = 0;
  socklen_t length = sizeof merges;
  return ::getsockopt(fd, IPPROTO_UDP, kUdpGro, &merges, &length) == 0 && merges != 0;
}

DatagramQueue look_at_datagrams(int fd) {
  pollfd item{fd, POLLIN | POLLRDHUP, 0};
  if (::poll(&item, 1, 0) != 1) return {.quiet = true, .next = std::nullopt};
  if ((item.revents & POLLERR) != 0 || (item.revents & POLLIN) == 0) return {};
  if (has_peek_position(fd)) return {.quiet = false, .next = WaitingDatagram{bytes_waiting(fd), "", 0}};
  auto next = peek(fd);
  // Another thread has taken it since. If the socket has been shut down, this is the end: a call that waits returns 0.
  if (!next && errno == EAGAIN) return {.quiet = (item.revents & POLLRDHUP) == 0, .next = std::nullopt};
  // On a connection that has ended, "nothing" is the end, not an empty message.
  if (!next || (next->length_bytes == 0 && (item.revents & POLLRDHUP) != 0)) return {};
  return {.quiet = false, .next = std::move(next)};
}

// A peek position counts the bytes of all datagrams before it. An empty datagram adds none: the kernel passes over an
// empty datagram that has been peeked at before, and every look here peeks.
std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most) {
  std::vector<WaitingDatagram> found;
  if (most == 0 || has_peek_position(fd)) return found;
  std::uint64_t position = first.length_bytes;
  while (found.size() < most && set_peek_position(fd, position)) {
    auto next = peek(fd);
    if (!next) break;
    position += next->length_bytes;
    found.push_back(*std::move(next));
  }
  const int none = -1;
  ::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &none, sizeof none);
  return found;
}

std::optional<DatagramMemory> datagram_memory(int fd) {
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory = {};
  socklen_t length = sizeof memory;
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, &memory, &length) != 0 || length < sizeof memory) return std::nullopt;
  return DatagramMemory{memory[SK_MEMINFO_RMEM_ALLOC], memory[SK_MEMINFO_DROPS]};
}

// A stream's peek always copies the bytes. All parts are copied to the same place.
std::uint64_t bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting) {
  constexpr std::uint64_t kPartBytes = 16384, kPartsMax = 1024;
  const std::uint64_t most = std::min({room, waiting, kPartBytes * kPartsMax});
  if (most == 0 || has_peek_position(fd)) return std::min(room, waiting);
  std::array<char, kPartBytes> bin;
  std::vector<iovec> parts;
  for (std::uint64_t left = most; left > 0; left -= parts.back().iov_len)
    parts.push_back({bin.data(), std::min(left, kPartBytes)});
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t peeked = ::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
  if (peeked < 0 || static_cast<std::uint64_t>(peeked) == most) return std::min(room, waiting);
  return static_cast<std::uint64_t>(peeked);
}

std::uint32_t connections_waiting(int listener) {
  tcp_info info = {};
  socklen_t length = sizeof info;
  constexpr std::uint8_t kListens = 10;  // of the states of RFC 793, as the kernel numbers them
  if (::getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || info.tcpi_state != kListens) return 1;
  return std::max(info.tcpi_unacked, 1u);
}

}  // namespace dpm
