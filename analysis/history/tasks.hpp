// Which task a worker's other messages belong to.
//
// In role order a task is performed by whoever gets it: by worker B what was A's in the trace. What B asks others
// meanwhile is answered to B, although the trace has the answer go to A; so a RECEIVE of A's that belongs to a task is
// performed by whoever performs the task.
//
//      A   R task ... S query ... R rows ... S result ... R task
//          <-------- one task: "R rows" belongs to it -------->
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

// By event: for a worker's RECEIVE from others than its dispatcher, the RECEIVE of its task; otherwise kNoEvent. Empty
// if there is none.
std::vector<std::uint32_t> tasks_of_receives(const History& history, const Roles& roles);

}  // namespace dpm
