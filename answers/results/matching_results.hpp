// What became of every message, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/matching/matching.hpp"

namespace dpm::cli {

std::string matching_text(const Matching& matching, int width);
nlohmann::ordered_json matching_json(const Matching& matching);

}  // namespace dpm::cli
