// Shows many processes in few rows: in tables and the report, processes of the same kind are one row. JSON has each process.
//
//     true, true#2 ... true#5000                    true x 5000
//     outside 10.0.0.9:40001, outside 10.0.0.9:...  clients of 10.0.0.1:80 x 300
//     outside pipe 15:231949, outside pipe 15:...   outside pipes x 12
#pragma once

#include <cstddef>

#include "analysis/queues/queues.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// More processes of one program than this are one row; otherwise each has its own row.
inline constexpr std::size_t kProcessesAlone = 12;

// Returns `info` with ProcessInfo::group set to the first process of each group, which gets the group's name; sum_threads()
// sums by it. Two or more peers outside that use one service are a group.
TraceInfo group_processes(const TraceInfo& info, std::size_t alone = kProcessesAlone);

// Merges the rows of unmetered processes of each group.
Queues group_unmeasured(Queues queues, const TraceInfo& grouped);

}  // namespace dpm::cli
