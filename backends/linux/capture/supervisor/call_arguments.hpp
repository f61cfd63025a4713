// The arguments of a waiting call that lie in its process's memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/capture/calls/metered_call.hpp"
#include "backends/linux/capture/kernel/notification.hpp"

namespace dpm {

// How many bytes the call wants to move; 0 if its memory cannot be read.
std::uint64_t asked_bytes(const Notification& notification, const MeteredCall& call);

// Whom a datagram is for: the name given with the call, or empty.
std::string given_receiver(const Notification& notification, const MeteredCall& call);

// sendmmsg: length and receiver of each message.
struct GivenMessage {
  std::uint64_t bytes = 0;
  std::string receiver;
};
std::vector<GivenMessage> given_messages(const Notification& notification, const MeteredCall& call);

// preadv2() and pwritev2() with a place in a file: pipes, sockets and eventfds refuse them.
bool names_position(const Notification& notification, const MeteredCall& call);

// Whether the kernel waits in this receive, accept or splice where there is nothing to take. Not so where its arguments
// are refused, or make it return, before that: such a call must never wait with us. A recvmmsg() with a time limit must
// not either, because the kernel counts its time from when it is let go.
bool may_be_held(const Notification& notification, const MeteredCall& call);

// A receive or accept that does not wait: where its socket has nothing to give and no error or end pending, it fails
// with EAGAIN and nothing else. Not so where its arguments are refused before that, or nothing is asked for.
bool can_only_be_eagain(const Notification& notification, const MeteredCall& call);

}  // namespace dpm
