#include "os/kernel/descriptor.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "os/kernel/socket_diagnosis.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

template <typename T>
bool read_option(int fd, int level, int option, T& value) {
  socklen_t length = sizeof value;
  return ::getsockopt(fd, level, option, &value, &length) == 0;
}

int int_option(int fd, int option) {
  int value = 0;
  return read_option(fd, SOL_SOCKET, option, value) ? value : 0;
}

Medium medium_of(int domain, int type, int protocol) {
  if (domain == AF_UNIX) {
    if (type == SOCK_STREAM) return Medium::unix_stream;
    return type == SOCK_SEQPACKET ? Medium::unix_seqpacket : Medium::unix_datagram;
  }
  if (domain != AF_INET && domain != AF_INET6) return Medium::none;
  if (type == SOCK_STREAM && (protocol == IPPROTO_TCP || protocol == 0)) return Medium::tcp;
  return type == SOCK_DGRAM && (protocol == IPPROTO_UDP || protocol == 0) ? Medium::udp : Medium::none;
}

std::string internet_name(int family, const void* ip, std::uint16_t port) {
  static constexpr std::array<unsigned char, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  char text[INET6_ADDRSTRLEN] = "";
  if (family == AF_INET6 && std::memcmp(ip, kMappedPrefix.data(), kMappedPrefix.size()) == 0) {
    family = AF_INET;
    ip = static_cast<const unsigned char*>(ip) + kMappedPrefix.size();
  }
  ::inet_ntop(family, ip, text, sizeof text);
  const std::string host = family == AF_INET6 ? fmt::format("[{}]", text) : text;
  return fmt::format("{}:{}", host, ntohs(port));
}

// The connecting side's SYN counts as an acknowledged byte. The difference shows as long as nothing was retransmitted.
bool counts_syn(int fd) {
  tcp_info info = {};
  int unacknowledged = 0;
  if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info) || ::ioctl(fd, SIOCOUTQ, &unacknowledged) != 0) return false;
  const std::uint64_t counted = info.tcpi_bytes_acked + static_cast<std::uint64_t>(unacknowledged);
  const std::uint64_t written = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
  return counted == written + 1;
}

constexpr std::uint8_t kClosed = 7;  // of the states of RFC 793, as the kernel numbers them

bool has_peer_fin(std::uint8_t state) {
  // The states in which the peer's FIN has arrived: CLOSE_WAIT, LAST_ACK, CLOSING, TIME_WAIT.
  return state == 8 || state == 9 || state == 11 || state == 6;
}

bool has_own_fin(std::uint8_t state) {
  // The states in which our own FIN has been sent: FIN_WAIT1, FIN_WAIT2, LAST_ACK, CLOSING, TIME_WAIT.
  return state == 4 || state == 5 || state == 9 || state == 11 || state == 6;
}

// How many of the received bytes are the peer's FIN. The state of a socket that is closed on both sides, or reset, does
// not tell whether there was one; an offset one byte beyond the expected one does.
std::uint64_t fin_bytes(std::uint8_t state, std::uint64_t offset_with_fin, std::uint64_t expected) {
  return has_peer_fin(state) || (state == kClosed && offset_with_fin == expected + 1) ? 1 : 0;
}

std::uint64_t timeout_ns(int fd, int option) {
  timeval timeout = {};
  if (!read_option(fd, SOL_SOCKET, option, timeout)) return 0;
  return static_cast<std::uint64_t>(timeout.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(timeout.tv_usec) * 1'000u;
}

constexpr int kReadingsMax = 20;

// An urgent byte has come, and was not taken.
bool has_urgent(int fd) {
  pollfd item{fd, POLLPRI, 0};
  return ::poll(&item, 1, 0) == 1 && (item.revents & POLLPRI) != 0;
}

bool is_urgent_inline(int fd) { return int_option(fd, SO_OOBINLINE) != 0; }

// What a stream with an urgent byte has, of which SIOCINQ counts only the part before that byte. `unread`: by the other count, with the FIN.
ReceiveState around_urgent(std::uint64_t received, std::uint64_t unread, std::uint64_t before_urgent, bool fin) {
  ReceiveState state{.offset = received - unread, .ended = fin};
  const std::uint64_t left = unread - (fin && unread > 0 ? 1 : 0);
  if (unread == 0 && fin) --state.offset;
  state.at_urgent = before_urgent == 0 && left > 0;
  state.waiting = static_cast<std::uint32_t>(state.at_urgent ? left - 1 : before_urgent);
  return state;
}

}  // namespace

std::string to_string(Medium medium) {
  switch (medium) {
    case Medium::none:
      return "none";
    case Medium::tcp:
      return "tcp";
    case Medium::udp:
      return "udp";
    case Medium::unix_stream:
    case Medium::unix_datagram:
    case Medium::unix_seqpacket:
      return "unix";
    case Medium::pipe:
      return "pipe";
  }
  return "none";
}

bool keeps_boundaries(Medium medium) {
  return medium == Medium::udp || medium == Medium::unix_datagram || medium == Medium::unix_seqpacket;
}

DescriptorIdentity identify(int fd, bool probably_socket) {
  std::uint64_t cookie = 0;
  if (probably_socket && read_option(fd, SOL_SOCKET, SO_COOKIE, cookie))
    return {DescriptorIdentity::Kind::socket, cookie, 0};
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return {};
  if (S_ISCHR(status.st_mode) && status.st_rdev == ::makedev(5, 2))  // /dev/ptmx
    return {DescriptorIdentity::Kind::terminal_master, status.st_ino, 0};
  if (S_ISFIFO(status.st_mode)) return {DescriptorIdentity::Kind::pipe, status.st_ino, status.st_dev};
  if (!probably_socket && S_ISSOCK(status.st_mode)) return identify(fd);
  // Files without a type are the kernel's own: eventfds, timers, epoll sets.
  if ((status.st_mode & S_IFMT) != 0) return {};
  const auto counter = read_event_counter(fd);
  return counter ? DescriptorIdentity{DescriptorIdentity::Kind::eventfd, counter->id, 0} : DescriptorIdentity{};
}

std::optional<EventCounter> parse_event_counter(const char* text) {
  // "eventfd-count:                3", in hexadecimal digits; "eventfd-id: 5"; "eventfd-semaphore: 1" since Linux 6.5.
  const auto number_after = [text](const char* label, int base) -> std::optional<std::uint64_t> {
    const char* at = std::strstr(text, label);
    if (at == nullptr) return std::nullopt;
    return std::strtoull(at + std::strlen(label), nullptr, base);
  };
  const auto count = number_after("eventfd-count:", 16), id = number_after("eventfd-id:", 10);
  if (!count || !id) return std::nullopt;
  return EventCounter{*id, *count, number_after("eventfd-semaphore:", 10).value_or(0) == 1};
}

std::optional<EventCounter> read_event_counter(int fd) {
  const UniqueFd file(::open(fmt::format("/proc/self/fdinfo/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
  char text[512];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text - 1) : 0;
  if (length <= 0) return std::nullopt;
  text[length] = '\0';
  return parse_event_counter(text);
}

SocketDescription describe_socket(int fd) {
  SocketDescription socket;
  socket.domain = int_option(fd, SO_DOMAIN);
  socket.type = int_option(fd, SO_TYPE);
  socket.protocol = int_option(fd, SO_PROTOCOL);
  socket.medium = medium_of(socket.domain, socket.type, socket.protocol);
  if (socket.medium == Medium::none) return socket;
  socket.listening = int_option(fd, SO_ACCEPTCONN) != 0;

  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0)
    socket.local_name = socket_name(&address, length);
  length = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    socket.connected = true;
    socket.peer_name = socket_name(&address, length);
  }
  struct stat status = {};
  if (::fstat(fd, &status) == 0) socket.inode = status.st_ino;
  if (socket.domain == AF_UNIX) {
    const auto peer_inode = unix_peer_inode(socket.inode);
    socket.peer_inode = peer_inode.value_or(0);
    socket.peer_is_untold = !peer_inode;
    ucred peer = {};
    if (socket.connected && read_option(fd, SOL_SOCKET, SO_PEERCRED, peer)) socket.peer_pid = peer.pid;
  }
  if (socket.medium == Medium::tcp && socket.connected) socket.syn_counted = counts_syn(fd);
  return socket;
}

bool talks_with_kernel(const SocketDescription& socket) {
  return socket.domain == AF_NETLINK && socket.protocol != NETLINK_USERSOCK;
}

std::optional<SendState> tcp_send_state(int fd, bool syn_counted, std::uint64_t expected) {
  tcp_info info = {};
  int unacknowledged = 0;
  if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info)) return std::nullopt;
  for (int reading = 0; reading < kReadingsMax; ++reading) {
    if (info.tcpi_state == kClosed) return std::nullopt;
    // With no segment in flight and none to come, all bytes have been acknowledged: one call tells the offset.
    const bool all_acknowledged = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes == 0;
    unacknowledged = 0;
    if (!all_acknowledged && ::ioctl(fd, SIOCOUTQ, &unacknowledged) != 0) return std::nullopt;
    const std::uint64_t acknowledged = info.tcpi_bytes_acked;
    const bool fin = has_own_fin(info.tcpi_state);
    const std::uint64_t offset =
        acknowledged + static_cast<std::uint64_t>(unacknowledged) - (syn_counted ? 1 : 0) - (fin ? 1 : 0);
    if (all_acknowledged || offset == expected) return SendState{offset, fin};
    if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info)) return std::nullopt;
    if (info.tcpi_bytes_acked == acknowledged && has_own_fin(info.tcpi_state) == fin) return SendState{offset, fin};
  }
  return std::nullopt;
}

std::optional<ReceiveState> tcp_receive_state(int fd, std::uint64_t expected, bool may_be_urgent) {
  tcp_info info = {};
  int waiting = 0;
  if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info)) return std::nullopt;
  for (int reading = 0; reading < kReadingsMax; ++reading) {
    if (::ioctl(fd, SIOCINQ, &waiting) != 0) return std::nullopt;
    const std::uint64_t received = info.tcpi_bytes_received;
    const std::uint64_t with_fin = received - static_cast<std::uint64_t>(waiting);
    std::uint64_t fin = fin_bytes(info.tcpi_state, with_fin, expected);
    if (with_fin - fin == expected) return ReceiveState{expected, static_cast<std::uint32_t>(waiting), fin != 0};
    const bool is_urgent = (may_be_urgent || has_urgent(fd)) && !is_urgent_inline(fd);
    std::optional<std::uint64_t> unread;
    if (is_urgent) unread = tcp_unread_bytes(fd);
    if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info)) return std::nullopt;
    if (info.tcpi_bytes_received != received) continue;
    if (unread)
      return around_urgent(received, *unread, static_cast<std::uint64_t>(waiting), has_peer_fin(info.tcpi_state));
    fin = fin_bytes(info.tcpi_state, with_fin, expected);  // of the second reading: the first races with the FIN by one
    return ReceiveState{with_fin - fin, static_cast<std::uint32_t>(waiting), fin != 0};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> tcp_urgent_offset(int fd) {
  if (!has_urgent(fd) || is_urgent_inline(fd)) return std::nullopt;
  constexpr std::uint64_t kNone = UINT64_MAX;
  const auto state = tcp_receive_state(fd, kNone, true);
  return state ? std::optional(state->offset + (state->at_urgent ? 0 : state->waiting)) : std::nullopt;
}

std::uint64_t tcp_quiet_ns(int fd) {
  tcp_info info = {};
  timespec tick = {};
  if (!read_option(fd, IPPROTO_TCP, TCP_INFO, info) || ::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0) return 0;
  const std::uint64_t counted_ns = std::uint64_t{info.tcpi_last_data_recv} * 1'000'000;
  const auto tick_ns = static_cast<std::uint64_t>(tick.tv_nsec);
  return counted_ns - std::min(counted_ns, tick_ns);
}

bool cannot_send(int fd) {
  pollfd item{fd, 0, 0};
  return ::poll(&item, 1, 0) == 1 && (item.revents & (POLLERR | POLLHUP)) != 0;
}

std::uint64_t memory_not_received(int fd) {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

// The kernel divides a send into messages, of at most half the buffer and at most a page and 32 kB. It takes a message
// whenever the buffer is not full, however little room is left. So a send moves all its bytes if the buffer is not full
// before the last of its messages.
SendRoom room_to_send(int fd, std::uint64_t bytes) {
  constexpr std::uint64_t kMessageMax = 3776 + 32768, kOverheadMax = 2 * 4096 + 256;
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory = {};
  if (!read_option(fd, SOL_SOCKET, SO_MEMINFO, memory)) {
    pollfd pipe{fd, POLLOUT, 0};
    return ::poll(&pipe, 1, 0) == 1 ? SendRoom::part : SendRoom::none;
  }
  const std::uint64_t buffer = memory[SK_MEMINFO_SNDBUF];
  const std::uint64_t used =
      std::max(memory[SK_MEMINFO_WMEM_ALLOC], memory[SK_MEMINFO_WMEM_QUEUED]);  // of UNIX, of TCP
  if (used >= buffer) return SendRoom::none;
  const std::uint64_t message = std::min(kMessageMax, std::max<std::uint64_t>(buffer / 2, 65) - 64);
  const std::uint64_t before_last = bytes == 0 ? 0 : (bytes - 1) / message;
  return used + before_last * (message + kOverheadMax) < buffer ? SendRoom::all : SendRoom::part;
}

bool fails_for_room_only(int fd) {
  // A signal that announces room (O_ASYNC) comes only after the kernel itself has refused a call.
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_ASYNC) == 0 && ::send(fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL) == 0;
}

std::uint32_t bytes_waiting(int fd) {
  int waiting = 0;
  return ::ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0 ? static_cast<std::uint32_t>(waiting) : 0;
}

bool is_readable(int fd) {
  pollfd item{fd, POLLIN | POLLRDHUP, 0};
  return ::poll(&item, 1, 0) == 1;
}

bool comes_no_more(int fd) {
  pollfd item{fd, POLLRDHUP, 0};
  return ::poll(&item, 1, 0) == 1 && (item.revents & (POLLRDHUP | POLLHUP)) != 0;
}

bool is_non_blocking(int fd) { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0; }

bool keeps_packets(int fd) { return (::fcntl(fd, F_GETFL) & O_DIRECT) != 0; }

bool is_writable_end(int fd) { return (::fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY; }

std::uint32_t segment_bytes(int fd) {
  constexpr int kUdpSegment = 103;
  int bytes = 0;
  return read_option(fd, IPPROTO_UDP, kUdpSegment, bytes) && bytes > 0 ? static_cast<std::uint32_t>(bytes) : 0;
}

std::uint64_t receive_timeout_ns(int fd) { return timeout_ns(fd, SO_RCVTIMEO); }
std::uint64_t send_timeout_ns(int fd) { return timeout_ns(fd, SO_SNDTIMEO); }

std::string socket_name(const void* address, std::size_t length) {
  sockaddr_storage storage = {};
  if (length > sizeof storage || length < sizeof(sa_family_t)) return "";
  std::memcpy(&storage, address, length);
  if (storage.ss_family == AF_INET && length >= sizeof(sockaddr_in)) {
    const auto& internet = reinterpret_cast<const sockaddr_in&>(storage);
    return internet_name(AF_INET, &internet.sin_addr, internet.sin_port);
  }
  if (storage.ss_family == AF_INET6 && length >= offsetof(sockaddr_in6, sin6_scope_id)) {
    const auto& internet = reinterpret_cast<const sockaddr_in6&>(storage);
    return internet_name(AF_INET6, &internet.sin6_addr, internet.sin6_port);
  }
  if (storage.ss_family != AF_UNIX || length <= offsetof(sockaddr_un, sun_path)) return "";
  const auto& local = reinterpret_cast<const sockaddr_un&>(storage);
  const std::size_t size = length - offsetof(sockaddr_un, sun_path);
  if (local.sun_path[0] == '\0') return "@" + std::string(local.sun_path + 1, size - 1);
  return std::string(local.sun_path, ::strnlen(local.sun_path, size));
}

}  // namespace dpm
