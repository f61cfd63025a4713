// Finds the processes that are counting semaphores: lock servers, pools of connections, buffers, queues of tasks.
//
//   lock   R take a   S a   R take b   R give a   S b   R give b      b waits until a has given back
//
// A take is answered at once if a unit is left; otherwise when another process gives one. Accepted if that explains each answer: takes are
// answered in the order in which they came, never without a unit, and none waits while there is one. How many units there
// are at the beginning follows: one of a lock, none of a queue of tasks. Processes of one program that seldom made others wait are the
// same, unless the trace contradicts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/request_queues.hpp"

namespace dpm {

// `settled`: processes with another rule.
std::vector<RequestQueue> find_semaphores(const History& history, const std::vector<bool>& settled);

// `units` at the beginning; `waited`: how often a request did.
std::string reason_of_semaphore(std::int64_t units, std::size_t waited);

}  // namespace dpm
