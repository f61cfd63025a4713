// What a trace says that was moved, summed up as any reader of the trace would.
#pragma once

#include <string>
#include <vector>

#include "backends/linux/audit/counts.hpp"
#include "model/result.hpp"

namespace dpm::audit {

// Processes, not threads, of the trace in this directory.
Result<std::vector<Process>> count_trace(const std::string& directory);

}  // namespace dpm::audit
