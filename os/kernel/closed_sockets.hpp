// Sockets that are gone, with the kernel's last counts of what they moved. The socket diagnosis (AF_NETLINK) announces
// them to any account, and does not keep a socket open any longer.
//
// An announcement comes microseconds after the last descriptor is closed, the last call has returned and, for TCP, the
// connection is over; much later if the peer does not acknowledge. Measured on Linux 6.18:
//
//     what was done                       sent  retransmitted  unsent  acknowledged  received  unread
//     connected, 100 sent, closed          100              0       0           102         0       0   SYN, FIN
//     accepted, 100 read, closed             0              0       0             1       101       0   FIN, FIN
//     accepted, 30 of 100 read, closed       0              0       0             0       100      70   a reset
//     connected, 3.9 MB sent, closed   3943798          34518       0       3909282         0       0
//
// The kernel clears the counts of a socket that SO_LINGER reset.
//
// Cost: for each announcement the kernel wakes a worker on the CPU that closed the socket. This separates a metered
// program from its supervisor, which wake each other on one CPU: with every socket announced, a server with 3000 short
// connections a second fell to 0.6 of its metered speed. A listener therefore sets a bound, and pauses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct ClosedSocket {
  struct Tcp {
    std::uint64_t written = 0;       // bytes sent for the first time, or still to be sent (perhaps with a FIN)
    std::uint64_t acknowledged = 0;  // with the bytes not acknowledged, SYN and FIN
    std::uint64_t received = 0;      // less what was not read; with a FIN
  };
  std::uint64_t cookie = 0;
  std::optional<Tcp> tcp;          // nothing if the kernel cleared them
  std::uint32_t unread_bytes = 0;  // with the kernel's overhead
};

// Where the socket's streams ended. `expected`: the offset that the records lead to, which tells a last byte from a
// FIN.
std::uint64_t sent_at_end(const ClosedSocket::Tcp& tcp, bool syn_counted, std::uint64_t expected);
std::uint64_t received_at_end(const ClosedSocket::Tcp& tcp, std::uint64_t expected);

// Nothing if the message does not announce the end of an internet socket.
std::optional<ClosedSocket> parse_closed_socket(std::span<const std::byte> message);

// The sockets of this network namespace.
class ClosedSockets {
 public:
  static Result<ClosedSockets> open();

  int fd() const { return fd_.get(); }

  // Turns announcements on or off. Sockets that are closed while they are off are never announced.
  Result<void> listen(bool listens);

  // Hands over the announcements so far. False if the kernel dropped some since the last time.
  bool drain(const std::function<void(const ClosedSocket&)>& take);

 private:
  explicit ClosedSockets(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace dpm
