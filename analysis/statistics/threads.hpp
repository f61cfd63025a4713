// Statistics by process instead of by thread: sums the threads of each process.
#pragma once

#include "analysis/statistics/statistics.hpp"

namespace dpm {

// A thread (ProcessInfo::group) counts for its process in every table; CPU times add up, and messages between two
// threads of one process are traffic of the process with itself. Without threads nothing changes.
Statistics sum_threads(Statistics statistics, const TraceInfo& info);

}  // namespace dpm
