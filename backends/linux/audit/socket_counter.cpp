#include "backends/linux/audit/socket_counter.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "model/channel_end.hpp"
#include "model/check.hpp"
#include "os/unique_fd.hpp"

namespace dpm::audit {
namespace {

constexpr int kBufferBytes = 16 << 20;
constexpr std::array<int, 2> kGroups = {SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY};

std::string name_of(int family, const void* address, std::uint16_t port) {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family, address, text, sizeof text);
  ChannelEnd end;
  end.address = without_mapping(text);
  end.port = ntohs(port);
  return to_string(end);
}

// TCP_INFO, as far as this kernel has it.
bool read_info(const nlmsghdr* header, tcp_info& info) {
  const auto* message = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
  auto length = static_cast<long>(header->nlmsg_len) - static_cast<long>(NLMSG_LENGTH(sizeof *message));
  for (const auto* attribute = reinterpret_cast<const rtattr*>(message + 1); RTA_OK(attribute, length);
       attribute = RTA_NEXT(attribute, length)) {
    if (attribute->rta_type != INET_DIAG_INFO) continue;
    const std::size_t bytes = RTA_PAYLOAD(attribute);
    if (bytes < offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans) return false;
    std::memcpy(&info, RTA_DATA(attribute), std::min(bytes, sizeof info));
    return true;
  }
  return false;
}

}  // namespace

struct SocketCounter::State {
  UniqueFd diagnosis, over;
  std::thread reader;
  Totals totals;

  ~State() { stop(); }

  void stop() {
    if (!reader.joinable()) return;
    const std::uint64_t one = 1;
    DPM_CHECK(::write(over.get(), &one, sizeof one) == sizeof one);
    reader.join();
  }

  void take(std::span<const std::byte> bytes) {
    alignas(nlmsghdr) std::array<std::byte, 4096> copy;
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    const auto* header = reinterpret_cast<const nlmsghdr*>(copy.data());
    if (!NLMSG_OK(header, static_cast<unsigned>(bytes.size())) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        header->nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg)))
      return;
    const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
    tcp_info info = {};
    // The kernel has cleared the counts of a socket that was reset, and its peer's port with them.
    if (socket->id.idiag_dport == 0 || !read_info(header, info)) return;
    const std::string name = name_of(socket->idiag_family, socket->id.idiag_src, socket->id.idiag_sport) + " > " +
                             name_of(socket->idiag_family, socket->id.idiag_dst, socket->id.idiag_dport);
    Connection& connection = totals.connections[name];
    connection.written += info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
    connection.acknowledged += info.tcpi_bytes_acked + socket->idiag_wqueue;
    connection.received +=
        info.tcpi_bytes_received - std::min<std::uint64_t>(socket->idiag_rqueue, info.tcpi_bytes_received);
    ++connection.sockets;
  }

  void drain() {
    alignas(nlmsghdr) std::array<std::byte, 4096> buffer;
    for (;;) {
      const ssize_t length = ::recv(diagnosis.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (length >= 0) {
        take(std::span(buffer).first(static_cast<std::size_t>(length)));
      } else if (errno == ENOBUFS) {
        totals.complete = false;
      } else if (errno != EINTR) {
        return;
      }
    }
  }

  void read() {
    pollfd items[] = {{over.get(), POLLIN, 0}, {diagnosis.get(), POLLIN, 0}};
    for (;;) {
      if (::poll(items, 2, -1) < 0) continue;
      drain();
      if (items[0].revents != 0) return;
    }
  }
};

SocketCounter::SocketCounter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SocketCounter::SocketCounter(SocketCounter&&) noexcept = default;
SocketCounter& SocketCounter::operator=(SocketCounter&&) noexcept = default;
SocketCounter::~SocketCounter() = default;

Result<SocketCounter> SocketCounter::begin() {
  auto state = std::make_unique<State>();
  state->diagnosis = UniqueFd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  state->over = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (!state->diagnosis || !state->over) return Error::from_errno("open the socket diagnosis");
  const int fd = state->diagnosis.get();
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kBufferBytes, sizeof kBufferBytes) != 0)
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kBufferBytes, sizeof kBufferBytes);
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Error::from_errno("listen to the socket diagnosis");
  for (const int group : kGroups)
    if (::setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) != 0)
      return Error::from_errno("ask the kernel to announce closed sockets");
  // The meter's signals are for another thread, which takes them by a descriptor.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  state->reader = std::thread([own = state.get()] { own->read(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return SocketCounter(std::move(state));
}

SocketCounter::Totals SocketCounter::end() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  state_->stop();
  return std::move(state_->totals);
}

}  // namespace dpm::audit
