// Which thread sent a datagram, on a channel to which several sockets send: the name of a UNIX socket, such as /dev/log.
//
// The channel alone does not tell, and a client that did not bind its socket has no name. So each datagram is kept from its send
// until its receive, with what the source can see of it at both ends:
//
//     eBPF      the sender's socket, which the kernel keeps with the datagram
//     seccomp   the sender's name if it has one, else the length and the first bytes
//
// Datagrams that match equally are taken in the order of their sends. The kernel queues them in another order if two threads are in
// their sends at the same instant, which shows only where such datagrams are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "model/ids.hpp"

namespace dpm {

// What a source sees of a datagram at one of its ends.
struct DatagramMark {
  std::uint64_t bytes = 0;
  std::uint64_t socket = 0;                          // of the sender; 0: not seen
  std::optional<std::string> sender = std::nullopt;  // its name, which may be empty; nothing: not seen
  std::uint64_t beginning = 0;                       // a hash of the first bytes; 0: not seen
};

class UnreceivedDatagrams {
 public:
  // The receiver may be outside, and a send may have failed.
  static constexpr std::size_t kWaitingMax = 4096;
  // A datagram that this number of later ones have overtaken was not sent, or another reader took it unseen.
  static constexpr std::uint32_t kOvertakenMax = 256;

  void sent(ProcessId by, DatagramMark mark);
  // Nothing if no such datagram is known.
  std::optional<ProcessId> take(const DatagramMark& received);
  std::size_t size() const { return sent_.size(); }

 private:
  struct Sent {
    ProcessId by;
    DatagramMark mark;
    std::uint32_t overtaken = 0;
  };
  std::deque<Sent> sent_;  // the oldest first
};

}  // namespace dpm
