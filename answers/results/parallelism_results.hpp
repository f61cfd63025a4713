// P in its three steps and the parts of the longest path, as tables and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/parallelism.hpp"

namespace dpm::cli {

std::string parallelism_text(const Parallelism& parallelism, const CriticalPath& path, const TraceInfo& info, int width,
                             bool all = false);
nlohmann::ordered_json parallelism_json(const Parallelism& parallelism);
nlohmann::ordered_json critical_path_json(const CriticalPath& path, const TraceInfo& info);

}  // namespace dpm::cli
