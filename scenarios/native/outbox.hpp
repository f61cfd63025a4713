// The connections over which a process sends: one for each receiver, made when it is first needed.
//
// The kernel calls of DEMOS/MP let the sender go on at once, however much waits at the receiver. A socket's buffers are
// limited, so what the kernel does not take is kept here. It is handed over in order, in every later call of the process
// that waits, and at its end.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm::native {

// The system refused what a program needs to go on.
struct SystemFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void fail_with_errno(const std::string& doing);

class Outbox {
 public:
  // `ports`: where each process listens on 127.0.0.1.
  explicit Outbox(std::vector<std::uint16_t> ports) : ports_(std::move(ports)) {}

  // False: the receiver has gone, and the frame with it.
  bool send(std::uint32_t receiver, std::vector<std::byte> frame);

  bool is_empty() const { return unsent_.empty(); }
  // For a poll(): the connections that wait until the kernel takes more. Then hand_over() gives it what it takes.
  void add_to(std::vector<pollfd>& polled) const;
  void hand_over();

 private:
  struct Connection {
    UniqueFd socket;
    bool is_broken = false;
    std::vector<std::byte> unsent;
    std::size_t sent_of_it = 0;
  };

  Connection& connection_to(std::uint32_t receiver);
  void hand_over(Connection& connection) const;

  std::vector<std::uint16_t> ports_;
  std::map<std::uint32_t, Connection> connections_;
  std::vector<std::uint32_t> unsent_;  // receivers for which something is kept
};

}  // namespace dpm::native
