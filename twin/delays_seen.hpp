// How long messages took between processes of one machine, as the trace itself shows: from the SEND to the RECEIVE of a
// process that was already waiting, or had done everything else before the SEND, minus the CPU time it used since. Both
// times are of one clock. The delay includes waking up, and the meter where there is one.
#pragma once

#include <optional>

#include "twin/recording.hpp"

namespace dpm::twin {

// Empty if too few messages show it.
std::optional<DelayClass> local_delays_seen(const Recording& recording);

}  // namespace dpm::twin
