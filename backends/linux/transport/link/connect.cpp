#include "backends/linux/transport/link/connect.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <memory>

namespace dpm {
namespace {

// A connection whose other end has silently gone must not wait a quarter of an hour.
void notice_silence(int socket) {
  const int on = 1, idle_s = 10, pause_s = 5, tries = 3, unanswered_ms = 30'000;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &pause_s, sizeof pause_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

Result<UniqueFd> connect_one(const addrinfo& address, std::chrono::milliseconds patience, int wake) {
  UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno("make a socket");
  notice_silence(socket.get());
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return Error{std::strerror(errno)};
    std::array<pollfd, 2> waiting = {pollfd{socket.get(), POLLOUT, 0}, pollfd{wake, POLLIN, 0}};
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count()));
    if (ready <= 0 || waiting[0].revents == 0) return Error{"no answer"};
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
    if (problem != 0) return Error{std::strerror(problem)};
  }
  return socket;
}

}  // namespace

Result<UniqueFd> connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds patience, int wake) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); problem != 0)
    return Error{host + ": " + ::gai_strerror(problem)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  Error last{"it has no address"};
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    auto socket = connect_one(*address, patience, wake);
    if (socket) return socket;
    last = socket.error();
    pollfd stopped = {wake, POLLIN, 0};
    if (::poll(&stopped, 1, 0) > 0) break;
  }
  return Error{"connect to " + host + " port " + std::to_string(port) + ": " + last.what};
}

}  // namespace dpm
