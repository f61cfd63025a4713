// Which task a worker's other messages belong to.
//
// In role order the worker that gets a task performs it: worker B may perform what was A's in the trace. What B asks
// others meanwhile is answered to B, although in the trace the answer goes to A; so a RECEIVE of A that belongs to a
// task is performed by the worker that performs the task.
//
//      A   R task ... S query ... R rows ... S result ... R task
//          <-------- one task: "R rows" belongs to it -------->
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

// By event: for a worker's RECEIVE from others than its dispatcher, the RECEIVE of its task, and for a later RECEIVE of
// a piece of work that was given out by a choice (destinations.hpp), the RECEIVE that began it; otherwise kNoEvent. Empty if
// there is none.
std::vector<std::uint32_t> tasks_of_receives(const History& history, const Roles& roles);

}  // namespace dpm
