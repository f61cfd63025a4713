// The arguments of a waiting call that lie in its process's memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/calls/metered_call.hpp"
#include "os/kernel/notification.hpp"

namespace dpm {

// How many bytes the call wants to move; 0 if its memory cannot be read.
std::uint64_t asked_bytes(const Notification& notification, const MeteredCall& call);

// A message of a call that sends datagrams.
struct GivenMessage {
  std::uint64_t bytes = 0;
  std::string receiver;         // empty if the call names none
  std::uint64_t segment = 0;    // the size of the datagrams that it asks the kernel to divide it into (UDP_SEGMENT)
  std::uint64_t beginning = 0;  // not filled in
};
GivenMessage given_message(const Notification& notification, const MeteredCall& call);
// Of sendmmsg().
std::vector<GivenMessage> given_messages(const Notification& notification, const MeteredCall& call);
// beginning_of() a datagram; of sendmmsg, of the one at this place. 0 if its memory cannot be read.
std::uint64_t given_beginning(const Notification& notification, const MeteredCall& call, std::size_t place = 0);

// Whether it is preadv2() or pwritev2() with a position in a file: pipes, sockets and eventfds refuse these.
bool names_position(const Notification& notification, const MeteredCall& call);

// Whether the kernel would wait in this receive, accept or splice if there is nothing to take. False if the kernel
// refuses its arguments, or returns because of them, before that: such a call must never be held. A recvmmsg() with a
// time limit must not be held either, because the kernel counts the time from when the call is let go.
bool may_be_held(const Notification& notification, const MeteredCall& call);

// Whether this receive or accept, which does not wait, can only fail with EAGAIN if its socket has nothing to give and
// no error or end pending; or this send into a UNIX stream that is full and has no error or end pending. False if the
// kernel refuses its arguments before that, or if it asks for nothing. A send with control data may be refused.
bool can_only_be_eagain(const Notification& notification, const MeteredCall& call);

}  // namespace dpm
