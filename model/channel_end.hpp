// What a meter knows of the two ends of a channel: the names under which the kernel knows them, and the machine where a
// socket was seen. Both ends of a connection know both names, so the ends that two meters saw can be joined by name,
// without a common clock and without adding anything to messages (trace/merge/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.hpp"

namespace dpm {

// What carries the messages, for finding the other end.
// `memory`: the threads share memory, and hand something over there (a unit of a semaphore, a lock), without bytes.
enum class ChannelMedium : std::uint8_t { unknown, tcp, udp, unix_socket, pipe, eventfd, memory };

struct ChannelEnd {
  // "10.0.0.1", "fe80::1", the path or number of a UNIX socket, the number of a pipe; empty: not known. An IPv4 address
  // mapped into IPv6 is written as IPv4.
  std::string address;
  std::uint16_t port = 0;
  MachineId machine;         // where a meter saw a socket at this end; none: no meter saw one
  std::uint64_t socket = 0;  // the kernel's number of that socket, as long as the machine runs; 0: not known

  friend bool operator==(const ChannelEnd&, const ChannelEnd&) = default;
};

// "10.0.0.1:80" and "[::1]:80" have a port; every other name is an address as a whole. Machine and socket stay none.
ChannelEnd parse_internet_name(std::string_view name);
std::string to_string(const ChannelEnd& end);

std::string without_mapping(std::string_view address);  // "::ffff:10.0.0.1" is 10.0.0.1
bool is_loopback_address(std::string_view address);     // leads to the machine itself, on every machine
bool is_any_address(std::string_view address);          // 0.0.0.0, ::: bound to every address of its machine
bool is_group_address(std::string_view address);        // leads to several machines or sockets: multicast, broadcast

}  // namespace dpm
