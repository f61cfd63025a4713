// A process that takes no new work while it has a number of pieces in progress: a server with a table of requests, a
// pool of workers, a window of messages. Seen from outside:
//
//   in progress below the limit   it waits for any message
//   at the limit                  it waits for answers only: messages over one set of channels
//
// where a message over that set ends a piece of work, and any other message begins one. The set that such a process
// waits for does not depend on the message it has just handled but on how much is in progress, so a replay in another
// order must compute it again. The trace shows limit and set; they are accepted only if every RECEIVE of the process
// agrees. A process of the same program that was never full in the trace has the same limit.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct IntakeLimit {
  std::uint32_t answers = 0;  // TraceInfo::channel_sets; 0: the trace does not show the set
  std::int64_t most = 0;      // in progress when it waits for answers only; 0: no limit, or the trace does not show it
  // By process, where `answers` is 0: whether its messages are answers.
  std::vector<bool> answered_by = {};

  bool governs(std::uint32_t channel_set) const { return most > 0 && (channel_set == 0 || channel_set == answers); }
};

// By process. Needs RECEIVECALL metered, and every message's sender in the computation. A limit of one is left out:
// then the set that the process waits for follows from the message it handled.
std::vector<IntakeLimit> find_intake_limits(const History& history);

}  // namespace dpm
