// Samples of a recorded computation, at constant intervals of its own time.
//
// Where the order of running, queueing and waiting for a disk within an interval between two events is not known, a
// sample takes one of them by lot, in proportion to their times. So the expected shares are the exact ones.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/counts/count_array.hpp"
#include "sampling/trace/state_history.hpp"

namespace dpm::sampling {

// When a server got requests, in the order of time; null: that is not asked.
using RequestTimes = std::vector<std::int64_t>;

// The first sample is one interval after the beginning. The same seed gives the same samples.
void sample_history(const StateHistory& history, std::uint64_t interval_ns, std::uint64_t seed, CountArray& counts,
                    const RequestTimes* requests = nullptr);

}  // namespace dpm::sampling
