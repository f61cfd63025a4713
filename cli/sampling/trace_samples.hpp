// Samples of a computation that has ended, from its trace: a simulation, or one that was metered with the times of waiting.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {

// 0 as the interval: one that makes about a thousand samples.
Result<sampling::CountArray> samples_of_trace(const std::string& path, std::uint64_t interval_ns);

}  // namespace dpm::cli
