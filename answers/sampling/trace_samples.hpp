// Samples of a computation that has ended, from its trace: a simulation, or one that was metered with the times of waiting.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/event.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {

// Of events that were read. `name` is what the trace is called in the result and in messages.
Result<sampling::CountArray> samples_of_events(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                                               const TraceInfo& info, const std::string& name,
                                               std::uint64_t interval_ns, const std::string& server);
// 0 as the interval: one that makes about a thousand samples. `server`: of which process requests are counted; empty: of none.
Result<sampling::CountArray> samples_of_trace(const std::string& path, std::uint64_t interval_ns,
                                              const std::string& server);

}  // namespace dpm::cli
