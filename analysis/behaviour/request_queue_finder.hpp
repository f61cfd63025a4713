// Finds the servers of a trace that choose among the requests that have come (analysis/history/request_queues.hpp).
//
// Accepted if each request has one answer at most, the work for one ends before that for another begins, the process
// never waits while it holds a request, and its choices have one explanation without exception: first come, first served
// among the requests of each program, and a fixed order of programs; or a fixed order of clients.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/request_queues.hpp"

namespace dpm {

// `settled`: processes with another rule.
RequestQueues find_request_queues(const History& history, const std::vector<bool>& settled);

std::string reason_of(const RequestQueue& queue);

}  // namespace dpm
