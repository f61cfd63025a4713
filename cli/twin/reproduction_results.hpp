// What a run of a twin reproduced of its trace, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "twin/reproduction.hpp"

namespace dpm::cli {

std::string reproduction_text(const twin::Reproduction& reproduction, int width);
nlohmann::ordered_json reproduction_json(const twin::Reproduction& reproduction, const twin::Bounds& bounds);

}  // namespace dpm::cli
