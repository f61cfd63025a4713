// The order of receives that suits each process, chosen from what the trace shows, with the reason in words.
//
//   role      a dispatcher and its workers (roles.hpp)
//   semaphore a process that answers some requests only when others have given back (semaphore_finder.hpp)
//   count     a process that continues after every n-th message, whatever its sender (counting.hpp)
//   round robin, least outstanding   how a process chooses among several receivers (destination_finder.hpp): for each
//             such choice, listed beside its order
//   gather    a process that asks several and goes on when all answers are there (gather_finder.hpp), listed beside its order
//   arrival   any other process that takes messages from several
//   any       a process whose every RECEIVE could only take the message it took: there is no choice
//
// `--order auto` is Order::role with these roles, which is arrival order for every other process.
#pragma once

#include <string>
#include <vector>

#include "analysis/behaviour/hidden_state.hpp"
#include "analysis/behaviour/roles.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

struct BehaviourRule {
  std::string order;                 // as above
  std::vector<ProcessId> processes;  // a dispatcher is listed before its workers
  std::string reason;
  bool is_open = false;  // not an order: what a replay does not know of these processes (hidden_state.hpp)
  double cpu_share = 0;  // of the CPU time of the trace, what these processes used
};

struct InferredBehaviour {
  std::vector<RoleGroup> groups;
  Roles roles;
  DestinationChoices choices;  // all that destination_finder.hpp finds
  HiddenState hidden;
  std::vector<BehaviourRule> why;
  // What the trace does not exclude: gathers go on with the answers of the same senders, ...
  bool gathers_by_sender = false;
  std::vector<ProcessId> counts_or_in_turn;  // ... and these wait for one sender after the other, and do not count
  std::vector<ProcessId> open;               // processes that no rule explains

  bool same_as_arrival() const {
    return roles.dispatcher_of.empty() && roles.counts_from.empty() && roles.destinations == nullptr &&
           roles.timers == nullptr && roles.sleeps == nullptr && roles.queues == nullptr && roles.gathers == nullptr;
  }
};

InferredBehaviour infer_behaviour(const History& history);

}  // namespace dpm
