#include "os/kernel/datagram_refusal.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace dpm {
namespace {

int option_of(int fd, int level, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, level, option, &value, &length) == 0 ? value : 0;
}

// poll() also reports an error where only a message waits in the error queue, which does not make a send fail.
bool has_pending_error(int fd, int domain) {
  pollfd item{fd, 0, 0};
  if (::poll(&item, 1, 0) != 1 || (item.revents & POLLERR) == 0) return false;
  const bool uses_error_queue = domain == AF_INET6 ? option_of(fd, IPPROTO_IPV6, IPV6_RECVERR) != 0 : false;
  return !uses_error_queue && option_of(fd, IPPROTO_IP, IP_RECVERR) == 0 &&
         option_of(fd, SOL_SOCKET, SO_TIMESTAMPING) == 0;
}

}  // namespace

bool refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes) {
  constexpr std::uint64_t kUdpBytesMax = 65535 - 8, kInternetHeader = 20;  // IPv6 does not count its own header
  constexpr std::uint64_t kUnixOverhead = 32;                              // what the kernel keeps of the send buffer
  if (socket.domain == AF_UNIX) {
    const auto buffer = static_cast<std::uint64_t>(option_of(fd, SOL_SOCKET, SO_SNDBUF));
    return bytes + kUnixOverhead > buffer || (socket.medium == Medium::unix_seqpacket && cannot_send(fd));
  }
  if (bytes > kUdpBytesMax || (socket.domain == AF_INET && bytes > kUdpBytesMax - kInternetHeader)) return true;
  return socket.connected && has_pending_error(fd, socket.domain);
}

}  // namespace dpm
