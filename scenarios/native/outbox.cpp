#include "scenarios/native/outbox.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dpm::native {

void fail_with_errno(const std::string& doing) {
  throw SystemFailure(fmt::format("{}: {}", doing, std::strerror(errno)));
}

Outbox::Connection& Outbox::connection_to(std::uint32_t receiver) {
  const auto [entry, is_new] = connections_.try_emplace(receiver);
  Connection& connection = entry->second;
  if (!is_new) return connection;
  connection.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection.socket) fail_with_errno("make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(ports_.at(receiver));
  if (::connect(connection.socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (errno != ECONNREFUSED && errno != ECONNRESET)
      fail_with_errno("connect to port " + std::to_string(ports_[receiver]));
    connection.is_broken = true;  // the receiver has ended
    connection.socket.reset();
    return connection;
  }
  const int yes = 1;  // a message is sent when the program sends it
  ::setsockopt(connection.socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return connection;
}

bool Outbox::send(std::uint32_t receiver, std::vector<std::byte> frame) {
  Connection& connection = connection_to(receiver);
  const bool follows_others = !connection.unsent.empty();
  if (follows_others)
    connection.unsent.insert(connection.unsent.end(), frame.begin(), frame.end());
  else
    connection.unsent = std::move(frame);
  hand_over(connection);
  if (!connection.unsent.empty() && !follows_others) unsent_.push_back(receiver);
  return !connection.is_broken;
}

void Outbox::hand_over(Connection& connection) const {
  while (!connection.is_broken && connection.sent_of_it < connection.unsent.size()) {
    const ssize_t taken = ::send(connection.socket.get(), connection.unsent.data() + connection.sent_of_it,
                                 connection.unsent.size() - connection.sent_of_it, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      connection.sent_of_it += static_cast<std::size_t>(taken);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      connection.is_broken = true;
      connection.socket.reset();
    } else if (errno != EINTR) {
      fail_with_errno("send");
    }
  }
  connection.unsent.clear();
  connection.sent_of_it = 0;
}

void Outbox::add_to(std::vector<pollfd>& polled) const {
  for (const auto receiver : unsent_) polled.push_back({connections_.at(receiver).socket.get(), POLLOUT, 0});
}

void Outbox::hand_over() {
  std::erase_if(unsent_, [&](std::uint32_t receiver) {
    Connection& connection = connections_.at(receiver);
    hand_over(connection);
    return connection.unsent.empty();
  });
}

}  // namespace dpm::native
