// Statistics by process instead of by execution stream: the threads of each process summed.
#pragma once

#include "analysis/statistics/statistics.hpp"

namespace dpm {

// A thread (ProcessInfo::group) counts for its process in every table; CPU times add up, and what two threads of one
// process sent each other is traffic of the process with itself. Without threads nothing changes.
Statistics sum_threads(Statistics statistics, const TraceInfo& info);

}  // namespace dpm
