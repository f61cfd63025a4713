// Calls that a process repeats because the answer to the one before did not come in time:
//
//   client   S ask ─── t ───┐ S ask again ──── R answer   o goes on
//
// The second call exists only because a timer ended. If the answer to the first comes in time in a replay, the process goes on
// where it did after the answer to the last; what it sent in between, and all that others did because of it, is left out.
// A call is a repetition if it has the size of the one before, goes to a process of the same program, and the process did no
// work before it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/timers.hpp"

namespace dpm {

// By the SEND of the first repetition: the event that the process goes on with after the last.
std::map<std::uint32_t, std::uint32_t> find_retries(const History& history, const Timers& timers);

// Events that are not performed if processes leave out these ranges of their events (from, to): they and, in order of arrival,
// what follows the messages in them.
std::uint64_t count_left_out(const History& history,
                             const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges);

}  // namespace dpm
