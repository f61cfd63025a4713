// Waits that end when a time has passed: the answer to a call that did not come, a batch that is not full. A trace shows
// such a wait as a RECEIVECALL that no message answers. Its length is a timer's if it is the same each time, by the
// process's own clock:
//
//   client      o ask ─── t ───┐ o go on         the answer did not come, or came later
//   collector   o take ── t ───┐ o write         nothing has come for t
//
// A time for several answers, which begins with the request and not with each wait, is not recognised: the rest of it is of
// another length each time.
//
// In a replay a process that waits for the answer to a call waits as long. It goes on when the answer comes that was too late
// in the trace, without repeating the call, and without the answer that came in time there but does not here. A process that would take any message is
// not replayed with its timer: whether one comes before the timer ends changes what it does.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct TimersOfProgram {
  std::vector<std::uint32_t> processes;
  std::int64_t wait_ns = 0;
  std::size_t times = 0;
};

struct Timers {
  std::vector<TimersOfProgram> of_calls, idle;          // idle: for any message
  std::map<std::uint32_t, std::int64_t> waits_ns;       // of calls, by the event that the process goes on with
  std::map<std::uint32_t, std::uint32_t> late_answers;  // by SEND of an answer that came too late: that event
  std::map<std::uint32_t, std::int64_t> limits_ns;      // by RECEIVE of an answer: how long it is waited for
  std::map<std::uint32_t, std::uint32_t> retries;       // of calls: retries.hpp
};

Timers find_timers(const History& history);

}  // namespace dpm
