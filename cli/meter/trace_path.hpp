// The way of a supervisor's events into a trace directory of its own.
#pragma once

#include "backends/linux/daemon/meter_path.hpp"

namespace dpm::cli {

// "JOB-NAME-PID-METER" in `folder`, the last being our own process.
Result<std::unique_ptr<MeterSink>> open_trace_path(const std::string& folder, const MeteredProcess& process);

}  // namespace dpm::cli
