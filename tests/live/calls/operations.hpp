// The rows of the matrix: how each call is made. What an operation returns is what it moved; one that returns 0 has noted it itself.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <vector>

#include "tests/live/calls/objects.hpp"

namespace dpm::cells {

struct Call {
  Ends& ends;
  Account& account;
  int fd;
  char* bytes;
  std::size_t length;
  int flags = 0;
  std::size_t at_most = kFullBytes;  // of a transfer: what its other end has, or has room for
};

inline long address_of(const void* at) { return reinterpret_cast<long>(at); }

// In two parts. An eventfd takes 8 bytes of each.
inline std::array<iovec, 2> halves(const Call& call) {
  const std::size_t first = call.ends.counts_units ? call.length : call.length / 2;
  return {iovec{call.bytes, first}, iovec{call.bytes + first, call.length - first}};
}
inline int parts(const Call& call) { return call.ends.counts_units ? 1 : 2; }

inline msghdr message(const Call& call, std::array<iovec, 2>& vector) {
  msghdr header{};
  header.msg_iov = vector.data();
  header.msg_iovlen = static_cast<std::size_t>(parts(call));
  return header;
}

inline void prepare(const Call& call) {
  constexpr int kOne = 1;
  if ((call.flags & MSG_ZEROCOPY) != 0) setsockopt(call.fd, SOL_SOCKET, SO_ZEROCOPY, &kOne, sizeof kOne);
}

inline sockaddr* receiver_of(const Call& call) {
  return (call.flags & MSG_FASTOPEN) == 0 || call.ends.to_bytes == 0 ? nullptr
                                                                     : reinterpret_cast<sockaddr*>(&call.ends.to);
}
inline socklen_t receiver_bytes(const Call& call) { return (call.flags & MSG_FASTOPEN) == 0 ? 0 : call.ends.to_bytes; }

// The names of the operations say what they call: a call, a flag, a way to have the descriptor.
using Operation = long (*)(Call&);

struct Row {
  const char* name;
  Operation operation;
  int flags = 0;
  const char* modes = "t";  // the first letters of the modes in which it is played
};

const std::vector<Row>& sends();
const std::vector<Row>& receives();
bool comes(int fd, int milliseconds);  // something to be received, or an end

// Of queues, which have their own calls.
long queue_send(Call& call);
long queue_receive(Call& call);
long message_send(Call& call);
long message_receive(Call& call);
long send_with_flags(Call& call);  // sendto

}  // namespace dpm::cells
