// A process in a replay (replay.hpp).
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"
#include "analysis/history/wanted_messages.hpp"

namespace dpm {

// The state of a process with the event at its cursor.
enum class ReplayPhase : std::uint8_t {
  before,  // the CPU time before the event is being used
  ready,   // it can happen; a RECEIVE may wait here
  after,   // a RECEIVE has its message, whose CPU charge is being used
  idle,    // the END has happened, and the process waits for more than it received in the trace's order
};

struct ReplayedProcess : Standing {
  std::uint32_t sent = 0;
  std::uint32_t previous = kNoEvent;
  ReplayPhase phase = ReplayPhase::before;
  bool waiting = false;  // for a message, or to begin
  bool created = true;
  bool waited = false;                  // for what it is about to receive
  bool takes_outside = false;           // forced: take a message from outside before it is due
  std::uint32_t taken_send = kNoEvent;  // the message being received
  std::uint32_t taken_from = kNoPeer;
  std::uint32_t redirect_from = kNoPeer,
                redirect_to = kNoPeer;  // dispatchers: an answer to the first goes to the second
  std::uint32_t next_handout = 0;       // dispatchers: how many it has performed (handouts.hpp)
  std::int64_t wake_up_cpu_ns = 0;      // of waking and being woken, not yet spent
  double work_factor = 1;               // of the piece of another member: destinations.hpp
  double sent_at_ns = 0;                // its last SEND
  bool timer_over = false;              // of the event at its cursor
  double timer_end_ns = 0;              // when it is, or would have been
};

}  // namespace dpm
