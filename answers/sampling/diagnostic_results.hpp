// The diagnostics of a sampling run (S4, appendix 3), as text and as JSON with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sampling/counts/diagnostics.hpp"

namespace dpm::cli {

// `counts`: of the same run.
std::string diagnostics_text(const sampling::Diagnostics& diagnostics, const sampling::CountArray& counts, int width);
nlohmann::ordered_json diagnostics_json(const sampling::Diagnostics& diagnostics, const sampling::CountArray& counts);

}  // namespace dpm::cli
