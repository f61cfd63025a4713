// Appendix A of the thesis: CPU sharing as a reweighting of the graph.
//
// The appendix sweeps all processes and messages forward through the UNCONTENDED schedule by common slices of time;
// while a slice passes, the new weight of every running process's arc grows by slice x runnable processes on its
// machine. Then it takes the longest path with the new weights. So a new weight is an integral of the machine's
// runnable count over the arc's uncontended interval, and one pass suffices: K(t) is that integral from the beginning,
// kept per machine, the new weight is K(end) - K(begin), and the pass carries the longest path along.
//
// This does not simulate contention: a process that is slowed down disturbs others only where it would have run
// undisturbed. On a heavily shared machine P can exceed the number of machines. It is kept because the published
// numbers mean this. (Listing: `p.curr := NextNode(p.curr)` is read as inside the test base = curr; outside it, it runs
// off the list.)
#pragma once

#include "analysis/history/history.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/parallelism/longest_path.hpp"

namespace dpm {

LongestPath thesis1984_path(const History& history, MessageCosts& costs);

}  // namespace dpm
