// How well a twin was inferred, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/ledger.hpp"
#include "twin/model.hpp"

namespace dpm::cli {

std::string twin_text(const twin::Twin& twin, int width);
nlohmann::ordered_json twin_json(const twin::Twin& twin, const std::string& scenario_file, const Ledger& ledger);

}  // namespace dpm::cli
