// Many processes as few rows: those that do the same are one, for tables and the report. JSON has each of them.
//
//     true, true#2 ... true#5000                    true x 5000
//     outside 10.0.0.9:40001, outside 10.0.0.9:...  clients of 10.0.0.1:80 x 300
//     outside pipe 15:231949, outside pipe 15:...   outside pipes x 12
#pragma once

#include <cstddef>

#include "analysis/queues/queues.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// More processes of one program than this are one row; of fewer, each may have a part of its own.
inline constexpr std::size_t kProcessesAlone = 12;

// `info` with each such process in the group (ProcessInfo::group) of its first, which has the group's name: what
// sum_threads() then sums. Peers outside are one group if they use one service, two of them already.
TraceInfo group_processes(const TraceInfo& info, std::size_t alone = kProcessesAlone);

// The rows of processes that were not metered as one for each group.
Queues group_unmeasured(Queues queues, const TraceInfo& grouped);

}  // namespace dpm::cli
