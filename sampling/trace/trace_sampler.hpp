// Samples of a recorded computation, at constant intervals of its own time.
//
// Where the order of running, queueing and waiting for a disk within an interval between two events is not known, a
// sample takes one of them by lot, in proportion to their times. So the expected shares are the exact ones.
#pragma once

#include <cstdint>

#include "sampling/counts/count_array.hpp"
#include "sampling/trace/state_history.hpp"

namespace dpm::sampling {

inline constexpr std::string_view kTraceSource = "trace";

// The first sample is one interval after the beginning. The same seed gives the same samples.
void sample_history(const StateHistory& history, std::uint64_t interval_ns, std::uint64_t seed, CountArray& counts);

}  // namespace dpm::sampling
