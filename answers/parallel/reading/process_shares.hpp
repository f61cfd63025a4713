// Divides the processes of a trace among workers: as many events for each as possible, and threads with their process. Whole machines
// where parts are then nearly even, because the events of a machine are in one file, which only one worker then reads; otherwise
// the processes of one machine in few parts.
#pragma once

#include <cstdint>
#include <vector>

#include "model/divided_sink.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// By process: its part. `records` is how many events each process has.
std::vector<std::uint32_t> divide_processes(const TraceInfo& info, const std::vector<std::uint64_t>& records,
                                            std::uint32_t parts);

}  // namespace dpm
