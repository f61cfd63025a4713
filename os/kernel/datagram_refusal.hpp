// Predicts which datagrams the kernel refuses to send, as far as it can be known before. Works on a borrowed duplicate
// (tracee.hpp), and does not clear a pending error.
#pragma once

#include <cstdint>

#include "os/kernel/descriptor.hpp"

namespace dpm {

// Whether the send fails: the datagram is longer than its socket can send (EMSGSIZE), an earlier one was answered that
// its receiver does not exist (ECONNREFUSED), or the other end of a SOCK_SEQPACKET connection is closed (EPIPE).
bool refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes);

}  // namespace dpm
