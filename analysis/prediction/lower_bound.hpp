// An elapsed time that no placement can beat: the greatest of
//   - the CPU time of any one process, on the fastest machine it may use;
//   - the CPU time of all that may move, divided by the speeds of the cores they may use; and of what is fixed, per machine;
//   - the longest chain of causes, with every message as fast as any placement makes it. In arrival order work moves
//     with its message, so only "this message's SEND is in that message's segment" is certain; in recorded order
//     also what a process did before. In role order not even that, because work moves between processes.
// Valid for the predictor, which the search compares placements by.
#pragma once

#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

// `may_move` by process; `allowed` are the machines they may use.
double lower_bound_ns(const History& history, const Target& base, const std::vector<bool>& may_move,
                      const std::vector<MachineId>& allowed, Order order);

}  // namespace dpm
