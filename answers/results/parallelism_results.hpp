// P in its three steps, the factors that lead from a processor for each process to P, and the parts of the longest path, as tables and
// as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/efficiency.hpp"
#include "analysis/parallelism/parallelism.hpp"

namespace dpm::cli {

std::string parallelism_text(const Parallelism& parallelism, const CriticalPath& path, const TraceInfo& info, int width,
                             bool all = false);
std::string efficiency_text(const Efficiency& efficiency, const TraceInfo& info, int width);
// The steps alone, and with all that needs the third one.
nlohmann::ordered_json parallelism_json(const Parallelism& parallelism);
nlohmann::ordered_json parallelism_json(const Parallelism& parallelism, const Efficiency& efficiency,
                                        const CriticalPath& path, const TraceInfo& info);

}  // namespace dpm::cli
