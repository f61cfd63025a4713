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

// The receiver's name that a datagram's call gives; empty if it gives none.
std::string given_receiver(const Notification& notification, const MeteredCall& call);

// The size of the datagrams that the control data of a sendmsg() ask for (UDP_SEGMENT); 0: none.
std::uint64_t given_segment(const Notification& notification, const MeteredCall& call);

// sendmmsg: length and receiver of each message.
struct GivenMessage {
  std::uint64_t bytes = 0;
  std::string receiver;
};
std::vector<GivenMessage> given_messages(const Notification& notification, const MeteredCall& call);

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
