// A process that takes no new work from some others while it has a number of their requests in progress: a server with a
// table of requests, a pool of workers, a window of messages. Seen from outside:
//
//   in progress below the limit   it waits for any message
//   at the limit                  it waits for messages over one set of channels only, without those of new work
//
// A message from a limited sender begins work; the first message to such a sender after that ends it. The set that such
// a process waits for does not depend on the message it has just handled but on how much is in progress, so a replay in
// another order must compute it again. The trace shows limit and set; they are accepted only if every RECEIVE of the
// process agrees. A process of the same program that was never full in the trace has the same limit.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct IntakeLimit {
  std::uint32_t when_full = 0;  // TraceInfo::channel_sets: what it waits for then; 0: the trace does not show it
  std::int64_t most = 0;        // in progress; 0: no limit, or the trace does not show it
  std::vector<bool> limited;    // by process: whether its messages are

  bool exists() const { return most > 0; }
  bool governs(std::uint32_t channel_set) const { return exists() && (channel_set == 0 || channel_set == when_full); }
};

// By process. Needs RECEIVECALL metered, and every message's sender in the computation. A limit of one is accepted only if
// messages from several programs come when the process is full: otherwise it is one that waits for the answer to a call,
// and the set follows from the message it handled.
std::vector<IntakeLimit> find_intake_limits(const History& history);

}  // namespace dpm
