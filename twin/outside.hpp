// Processes that were not metered, told by what their peers did: a message to one of them is its RECEIVE, a message
// from one its SEND, and the time in between is the time it took. They become processes outside the computation, each
// on a machine of its own; their waits are work there.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Fills in the lives of processes without events. Returns their numbers.
std::vector<std::uint32_t> add_outside(Recording& recording);

}  // namespace dpm::twin
