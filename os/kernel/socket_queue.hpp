// What waits in a socket to be received or accepted, looked at without taking it. All functions work on a borrowed
// duplicate (tracee.hpp), and leave queue, pending errors and flags of the open file as they are.
//
// A peek would move the peek position of a socket that has one (SO_PEEK_OFF); of such a socket only lengths are
// returned.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dpm {

// A hash of a datagram's first bytes, which distinguishes it from others; never 0.
inline constexpr std::size_t kBeginningBytes = 64;
std::uint64_t beginning_of(std::string_view datagram);

struct WaitingDatagram {
  std::uint32_t length_bytes = 0;
  std::string sender_name;
  std::uint64_t beginning = 0;   // 0: neither it nor the sender's name is known
  std::uint32_t part_bytes = 0;  // it is several that the kernel has merged (UDP_GRO), of this length; 0: it is one
};

// The length of the datagrams that the kernel has merged into this message, by its control data; 0: it does not tell of any.
std::uint32_t merged_part_bytes(msghdr& message);
// Whether the kernel may merge datagrams that come to this UDP socket (UDP_GRO).
bool merges_datagrams(int fd);

struct DatagramQueue {
  bool quiet = false;  // poll() reports nothing at all: no datagram, no error, no end
  // Nothing if no datagram is there, or if an error is pending, which a peek would clear.
  std::optional<WaitingDatagram> next;
};
DatagramQueue look_at_datagrams(int fd);

// The lengths and senders of at most `most` datagrams behind `first`. Returns none for a socket that has a peek
// position. The socket has a peek position while this looks: do not use it on a socket on which the program itself
// peeks.
std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most);

// What a datagram socket has, by the kernel's counts (SO_MEMINFO).
struct DatagramMemory {
  std::uint32_t waiting_bytes = 0;  // with the kernel's overhead
  std::uint32_t dropped = 0;        // datagrams, since the socket was created
};
std::optional<DatagramMemory> datagram_memory(int fd);

// How many bytes one call with room for `room` takes from this UNIX stream, in which `waiting` bytes wait. One call
// takes nothing beyond passed descriptors, or beyond the point where another sender's credentials begin (unix(7)).
std::uint64_t bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting);

// The number of connections that wait to be accepted; 1 if it is not known.
std::uint32_t connections_waiting(int listener);

}  // namespace dpm
