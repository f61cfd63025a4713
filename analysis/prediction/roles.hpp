// Recognises dispatchers and their workers in a trace, for Order::role.
//
// Workers are processes of one program (two at least) that hear of one process, the dispatcher, what to do, and ask
// others only in between. The dispatcher takes messages from whichever worker comes first; where it then sends to
// workers, it answers the one that sent (the next piece of work), or begins anew because everything it had given out
// has come back (analysis/history/handouts.hpp). Which piece comes next depends on how many have been given out, not on
// who asks; that is why the pieces must go to whoever is free in a prediction.
//
// Three kinds of systems look the same at first sight. What tells them apart:
//
//   clients of a server     They speak first, and so do workers that fetch their work. But work ends for all at once: when
//                           nothing is left, each worker comes once more. So the last messages of such workers are one
//                           from each; and either nobody is answered any more, or they did not all do equally much, as
//                           clients with a number of requests do.
//   replicas behind a       A result is passed on to who asked for it, and not answered with the next piece.
//   balancer
//   a driver with a queue   It gives the next request to the disk that is done, because that request was for this disk.
//   for each disk           Meanwhile another disk is idle: nobody who hands out work to whoever is free does that.
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
  std::string reason;   // "hand out work to whoever is free: 212 answers are the next piece"
};

std::vector<RoleGroup> find_role_groups(const History& history);

Roles to_roles(const std::vector<RoleGroup>& groups, std::size_t process_count);

}  // namespace dpm
