// Recognises dispatchers and their workers in a trace, for Order::role.
//
// Workers are processes of one program (two at least) that talk to one process only, the dispatcher, and not before it
// has spoken: clients speak first. The dispatcher takes messages from whichever worker comes first; where it then sends
// to workers, it answers the one that sent (the next piece of work), or begins anew because everything it had given out
// has come back (analysis/history/handouts.hpp). Which piece comes next depends on how many have been given out, not on
// who asks; that is why the pieces must go to whoever is free in a prediction.
//
// A disk driver that keeps a queue for each disk looks the same from outside. Use role order for programs that hand out
// work to anybody; the prediction names everybody's role, so that a wrong guess is seen.
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
};

std::vector<RoleGroup> find_role_groups(const History& history);

Roles to_roles(const std::vector<RoleGroup>& groups, std::size_t process_count);

}  // namespace dpm
