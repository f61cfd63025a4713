// The samples that were taken while a trace was recorded: what each process of the trace did at each.
#pragma once

#include <string>

#include "analysis/blame/sampled_states.hpp"
#include "analysis/clocks/common_time.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// Where `dpm meter --sample` puts those of a trace directory; the file may not exist.
std::string samples_beside(const std::string& trace_directory);

// Refused if they are of a machine that the trace does not have, or of no process of it.
Result<SampledStates> read_recorded_samples(const std::string& path, const TraceInfo& info, const CommonTime& time);

}  // namespace dpm::cli
