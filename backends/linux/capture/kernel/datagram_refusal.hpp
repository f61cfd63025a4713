// Datagrams that the kernel refuses to send, as far as that can be told before. Works on a borrowed duplicate
// (tracee.hpp), and takes no pending error.
#pragma once

#include <cstdint>

#include "backends/linux/capture/kernel/descriptor.hpp"

namespace dpm {

// The send fails: the datagram is longer than its socket can send (EMSGSIZE), the answer to an earlier one was that its
// receiver does not exist (ECONNREFUSED), or the other end of a sequence of packets is closed (EPIPE).
bool refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes);

}  // namespace dpm
