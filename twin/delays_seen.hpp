// How long messages took between processes of one machine, as the trace itself shows: from the SEND to the RECEIVE of a
// process that was waiting already, or had done all else before the SEND, less the CPU time it used since. Both times
// are of one clock. It includes waking up, and the meter where there is one.
#pragma once

#include <optional>

#include "twin/recording.hpp"

namespace dpm::twin {

// Nothing where too few messages show it.
std::optional<DelayClass> local_delays_seen(const Recording& recording);

}  // namespace dpm::twin
