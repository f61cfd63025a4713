#include "view/server/listening_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>

namespace dpm::view {
namespace {

constexpr int kBacklog = 256;
// What the kernel keeps of a viewer's unsent bytes. Without a limit it grows to megabytes, and a slow viewer looks fast.
constexpr int kSendBufferBytes = 256 * 1024;

std::uint16_t port_of(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// Accepted connections have the same settings.
void configure(int socket, bool is_v6) {
  const int on = 1, off = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_v6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
}

}  // namespace

Result<ListeningSocket> listen_on(const std::string& address, std::uint16_t port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  const int failed = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) return Error{fmt::format("listen on {}: {}", address, ::gai_strerror(failed))};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  UniqueFd socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno("make a socket for viewers");
  configure(socket.get(), found->ai_family == AF_INET6);
  if (::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket.get(), kBacklog) != 0) {
    const auto error = Error::from_errno(fmt::format("listen on {} port {}", address, port));
    if (errno == EADDRINUSE)
      return Error{error.what + "; another program listens there: choose another port, or 0 for any"};
    return error;
  }
  const std::uint16_t listens_on = port_of(socket.get());
  return ListeningSocket{std::move(socket), listens_on};
}

bool is_any_address(const std::string& address) { return address.find_first_not_of("0.:") == std::string::npos; }

}  // namespace dpm::view
