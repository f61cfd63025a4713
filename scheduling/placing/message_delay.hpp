// How much longer a message takes to a sleeping process on another core than to one on the same core: two processes of ours exchange
// bytes over a pipe for some milliseconds, and work for a moment before each. The replay of a placement needs it; it is the cost of
// waking a core.
#pragma once

#include "model/result.hpp"
#include "model/time.hpp"
#include "scheduling/placing/cpu_set.hpp"

namespace dpm {

// Of one message. 0 if it takes no longer.
Result<Duration> measure_message_delay(int cpu, int other_cpu);

}  // namespace dpm
