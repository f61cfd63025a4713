// Processes that were not metered, inferred from what their peers did: a message to one of them is its RECEIVE, a
// message from one its SEND, and the time in between is the time it took. They become processes outside the
// computation, each on its own machine; their waits become work there.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Fills in the records of processes without events. Returns their numbers.
std::vector<std::uint32_t> add_outside(Recording& recording);

}  // namespace dpm::twin
