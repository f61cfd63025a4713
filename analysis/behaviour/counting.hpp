// Recognises processes that count messages, for Order::role.
//
// A process that waits for its four neighbours before it continues does nothing on three of their messages and
// everything on the fourth, whichever neighbour sends it. In arrival order, its work would move with the message that
// was last in the trace. Seen from outside: among the messages it takes from any of n senders, it sends something after
// every n-th, and only then, without exception; and all n have sent equally much. A process that reacts to a message
// alone may look the same if its messages come in pairs (a disk: the block, and then the command), but these have one
// sender.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct Counting {
  ProcessId process;
  std::uint64_t every = 0;             // messages
  std::vector<std::uint32_t> senders;  // sorted
  std::uint64_t times = 0;             // it went on
  // It may as well wait for one sender after the other: they come in one order each time, or it works between them.
  bool or_in_turn = false;
};

std::vector<Counting> find_counting(const History& history);

}  // namespace dpm
