// What waits in a socket to be received or accepted, looked at without taking it. All functions work on a borrowed
// duplicate (tracee.hpp), and leave queue, pending errors and flags of the open file as they are.
//
// A peek would move the position of a socket that has one of its own (SO_PEEK_OFF); of such a socket only lengths are
// told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpm {

struct WaitingDatagram {
  std::uint32_t length_bytes = 0;
  std::string sender_name;
  std::uint64_t beginning = 0;  // a hash of its first bytes: it tells it from others that were there before
};

struct DatagramQueue {
  bool quiet = false;  // poll() reports nothing at all: no datagram, no error, no end
  // Nothing if none is there, or an error is pending, which a peek would take.
  std::optional<WaitingDatagram> next;
};
DatagramQueue look_at_datagrams(int fd);

// The lengths and senders of those behind `first`, `most` at most. Nothing of a socket that has a peek position. While it
// looks, the socket has one: not for a socket of which the program itself peeks.
std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most);

// What a datagram socket has, by the kernel's counts (SO_MEMINFO).
struct DatagramMemory {
  std::uint32_t waiting_bytes = 0;  // with what the kernel needs to keep them
  std::uint32_t dropped = 0;        // datagrams, since the socket was made
};
std::optional<DatagramMemory> datagram_memory(int fd);

// How many bytes one call with room for `room` takes from this UNIX stream, of which `waiting` bytes wait: it ends
// behind passed descriptors, and where another sender's credentials begin (unix(7)).
std::uint64_t bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting);

// Connections that wait to be accepted; at least one if it cannot be known how many.
std::uint32_t connections_waiting(int listener);

}  // namespace dpm
