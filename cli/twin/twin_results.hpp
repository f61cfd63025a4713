// A twin as a scenario file, and what can be said of how good it is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/twin/model.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// The scenario, laid out for people: a line for each step, lists of numbers in lines.
std::string twin_scenario(const twin::Twin& twin);

std::string twin_text(const twin::Twin& twin, int width);
nlohmann::ordered_json twin_json(const twin::Twin& twin, const std::string& scenario_file, const Ledger& ledger);

}  // namespace dpm::cli
