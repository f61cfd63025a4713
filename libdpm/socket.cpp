#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <dpm/monitor/socket.hpp>

namespace dpm::monitor {
namespace {

constexpr int kBacklog = SOMAXCONN;  // a client that finds the queue full is silent for a second

int connected(unsigned short port, const char* host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(host, service, &hints, &addresses) != 0) {
    errno = EHOSTUNREACH;
    return -1;
  }
  int descriptor = -1;
  for (const addrinfo* address = addresses; address != nullptr && descriptor < 0; address = address->ai_next) {
    descriptor = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, address->ai_addr, address->ai_addrlen) != 0) {
      const int why = errno;
      ::close(descriptor);
      descriptor = -1;
      errno = why;
    }
  }
  const int why = errno;
  freeaddrinfo(addresses);
  errno = why;
  return descriptor;
}

}  // namespace

bool SocketServer::open(unsigned short port, Report report) {
  close(report);
  descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) return false;
  const int yes = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(descriptor_, kBacklog) != 0) {
    const int why = errno;
    ::close(descriptor_);
    descriptor_ = -1;
    errno = why;
    return false;
  }
  happened(Action::kOpen, this->port(), report);
  return true;
}

unsigned short SocketServer::port() const {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  return getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &length) == 0 ? ntohs(address.sin_port) : 0;
}

void SocketServer::close(Report report) {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  happened(Action::kClose, 0, report);
}

bool Socket::open(unsigned short port, const char* host, Report report) {
  close(report);
  descriptor_ = connected(port, host);
  if (descriptor_ < 0) return false;
  happened(Action::kOpen, port, report);
  return true;
}

bool Socket::open(SocketServer& server, Report report) {
  close(report);
  do descriptor_ = accept4(server.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) return false;
  happened(Action::kOpen, server.port(), report);
  return true;
}

void Socket::close(Report report) {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  happened(Action::kClose, 0, report);
}

ssize_t Socket::write(const void* data, std::size_t bytes, Report report) {
  const char* from = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t part = send(descriptor_, from + done, bytes - done, MSG_NOSIGNAL);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return -1;
    done += static_cast<std::size_t>(part);
  }
  happened(Action::kWrite, static_cast<std::int64_t>(bytes), report);
  return static_cast<ssize_t>(bytes);
}

ssize_t Socket::read(void* buffer, std::size_t bytes, Report report) {
  ssize_t got = 0;
  do got = recv(descriptor_, buffer, bytes, 0);
  while (got < 0 && errno == EINTR);
  if (got >= 0) happened(Action::kRead, got, report);
  return got;
}

}  // namespace dpm::monitor
