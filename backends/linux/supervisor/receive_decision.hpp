// What becomes of a call that asks for data or for a connection, while the supervisor has it: pure, by what was seen.
//
//                              nothing there             something there           it may be another thread's
//     it may wait              waits for data            recorded, goes on         waits for its turn
//     it may not wait          answered EAGAIN           recorded, goes on         waits for its turn
//
// EAGAIN is what the kernel would answer at that instant. Letting such a call go on instead would be a race: the call
// would take data that comes before the kernel carries it out, and no RECEIVE would be recorded. The supervisor answers
// only where no other result is possible: see can_only_be_eagain() in call_arguments.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/linux/supervisor/turns.hpp"
#include "os/kernel/descriptor.hpp"
#include "os/kernel/socket_queue.hpp"

namespace dpm {

// What was seen of the socket or pipe.
struct QueueSight {
  bool readable = false;       // data, a connection, an end or an error is there: the kernel would not wait
  bool takes_nothing = false;  // no datagram or connection: an end or an error at most, which the kernel returns itself
  std::uint64_t bytes = 0;     // of a stream: what the call would get
  std::optional<std::uint64_t> offset = std::nullopt;         // where the stream stands, if that is known
  std::optional<std::uint64_t> stands_beyond = std::nullopt;  // where it stands at least, if that will be known
  std::optional<WaitingDatagram> datagram = std::nullopt;
  std::optional<EventCounter> units = std::nullopt;  // of an eventfd
  QueueFront front;
};

// What is known of the call itself.
struct ReceiveTerms {
  bool may_wait = true;
  bool takes_all = false;  // MSG_WAITALL: recorded when it is made, because it takes data piece by piece
  bool may_be_answered = false;
};

enum class ReceiveDecision : std::uint8_t {
  record,        // it goes on, and takes what was seen
  let_go,        // it goes on: there is nothing to record
  answer_again,  // EAGAIN
  wait_for_data,
  wait_for_turn,
};
ReceiveDecision decide(const ReceiveTerms& terms, const QueueSight& sight, bool may_be_anothers);

}  // namespace dpm
