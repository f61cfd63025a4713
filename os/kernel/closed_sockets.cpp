#include "os/kernel/closed_sockets.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace dpm {
namespace {

constexpr int kDiagnosisBufferBytes = 4 << 20;
constexpr std::array<int, 4> kGroups = {SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET_UDP_DESTROY, SKNLGRP_INET6_TCP_DESTROY,
                                        SKNLGRP_INET6_UDP_DESTROY};

template <typename T>
T read_as(std::span<const std::byte> bytes) {
  T value = {};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

// The attribute of that type, or nothing.
std::span<const std::byte> attribute_in(std::span<const std::byte> attributes, std::uint16_t type) {
  while (attributes.size() >= sizeof(rtattr)) {
    const auto head = read_as<rtattr>(attributes);
    if (head.rta_len < sizeof(rtattr) || head.rta_len > attributes.size()) return {};
    if (head.rta_type == type) return attributes.subspan(RTA_LENGTH(0), head.rta_len - RTA_LENGTH(0));
    attributes = attributes.subspan(std::min<std::size_t>(RTA_ALIGN(head.rta_len), attributes.size()));
  }
  return {};
}

ClosedSocket::Tcp counts_of(const tcp_info& info, const inet_diag_msg& socket) {
  ClosedSocket::Tcp tcp;
  tcp.written = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
  tcp.acknowledged = info.tcpi_bytes_acked + socket.idiag_wqueue;
  tcp.received = info.tcpi_bytes_received - std::min<std::uint64_t>(socket.idiag_rqueue, info.tcpi_bytes_received);
  return tcp;
}

// A FIN may or may not be among the bytes.
std::uint64_t without_fin(std::uint64_t with_fin, std::uint64_t expected) {
  return with_fin == 0 || with_fin == expected ? with_fin : with_fin - 1;
}

}  // namespace

std::uint64_t sent_at_end(const ClosedSocket::Tcp& tcp, bool syn_counted, std::uint64_t expected) {
  const std::uint64_t syn = syn_counted && tcp.acknowledged > 0 ? 1 : 0;
  const std::uint64_t with_fin = tcp.acknowledged - syn;
  // `written` counts bytes twice that lower layers sent twice by mistake, so the other sum decides.
  const bool agree = tcp.written == with_fin || tcp.written + 1 == with_fin;
  return agree ? tcp.written : without_fin(with_fin, expected);
}

std::uint64_t received_at_end(const ClosedSocket::Tcp& tcp, std::uint64_t expected) {
  return without_fin(tcp.received, expected);
}

std::optional<ClosedSocket> parse_closed_socket(std::span<const std::byte> message) {
  constexpr std::size_t kHead = NLMSG_LENGTH(sizeof(inet_diag_msg));
  const auto header = read_as<nlmsghdr>(message);
  if (message.size() < kHead || header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len < kHead ||
      header.nlmsg_len > message.size())
    return std::nullopt;
  const auto socket = read_as<inet_diag_msg>(message.subspan(NLMSG_LENGTH(0)));
  ClosedSocket closed;
  closed.cookie = std::uint64_t{socket.id.idiag_cookie[1]} << 32 | socket.id.idiag_cookie[0];
  closed.unread_bytes = socket.idiag_rqueue;
  const auto info = attribute_in(message.subspan(kHead, header.nlmsg_len - kHead), INET_DIAG_INFO);
  const bool has_forgotten = socket.id.idiag_dport == 0;
  if (info.size() >= offsetof(tcp_info, tcpi_bytes_retrans) + sizeof(tcp_info::tcpi_bytes_retrans) && !has_forgotten)
    closed.tcp = counts_of(read_as<tcp_info>(info), socket);
  return closed;
}

Result<ClosedSockets> ClosedSockets::open() {
  UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  if (!fd) return Error::from_errno("open the socket diagnosis");
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kDiagnosisBufferBytes, sizeof kDiagnosisBufferBytes) != 0)
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &kDiagnosisBufferBytes, sizeof kDiagnosisBufferBytes);
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Error::from_errno("listen to the socket diagnosis");
  ClosedSockets sockets(std::move(fd));
  if (auto listens = sockets.listen(true); !listens) return listens.error();
  return sockets;
}

Result<void> ClosedSockets::listen(bool listens) {
  const int option = listens ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP;
  for (const int group : kGroups)
    if (::setsockopt(fd_.get(), SOL_NETLINK, option, &group, sizeof group) != 0)
      return Error::from_errno("ask the kernel to announce closed sockets");
  return {};
}

bool ClosedSockets::drain(const std::function<void(const ClosedSocket&)>& take) {
  bool complete = true;
  alignas(nlmsghdr) std::array<std::byte, 4096> buffer;
  for (;;) {
    const ssize_t length = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (length < 0) {
      if (errno == EINTR) continue;
      if (errno != ENOBUFS) return complete;
      complete = false;
      continue;
    }
    if (const auto closed = parse_closed_socket(std::span(buffer).first(static_cast<std::size_t>(length))))
      take(*closed);
  }
}

}  // namespace dpm
