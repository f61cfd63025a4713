// Recognises dispatchers and their workers in a trace, for Order::role.
//
// Workers are processes of one program (two at least) that one process, the dispatcher, tells what to do, and that ask
// others only in between. The dispatcher takes messages from whichever worker comes first. When it then sends to
// workers, it either answers the sender (the next piece of work), or restarts because everything it had given out has
// come back (analysis/history/handouts.hpp). Which piece comes next depends on how many have been given out, not on
// which worker asks; that is why a prediction must give the pieces to the worker that is free.
//
// Three kinds of systems look the same at first sight. These properties tell them apart:
//
//   clients of a server     They speak first, and so do workers that fetch their work. But work ends for all at once: when
//                           nothing is left, each worker comes once more. So the last messages of such workers are one
//                           from each; and either none of them is answered, or they did not all do equally much, as
//                           clients with a number of requests do.
//   replicas behind a       A result is passed on to the process that asked for it; the answer to it is not the next
//   balancer, stores of     piece. With a client for half of the results, the results belong to requests, and not to
//   a front end             the worker that is free.
//   a driver with a queue   It gives the next request to the disk that is done, because that request was for this disk.
//   for each disk           Meanwhile another disk is idle: a dispatcher that hands work to free workers never does so.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

struct RoleGroup {
  ProcessId dispatcher;
  std::vector<ProcessId> workers;
  std::string program;  // of the workers
  std::string reason;   // "hand out tasks to free workers: 212 results are answered with the next task"
};

std::vector<RoleGroup> find_role_groups(const History& history);

Roles to_roles(const std::vector<RoleGroup>& groups, std::size_t process_count);

}  // namespace dpm
