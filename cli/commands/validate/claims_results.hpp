// The results of `dpm validate`, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/validate/judgement.hpp"

namespace dpm::cli {

std::string claims_text(const std::vector<Judgement>& judgements, int width);
nlohmann::ordered_json claims_json(const std::vector<Judgement>& judgements);

// "3 claims: 2 hold, 1 misses its goal"
std::string claims_count(const std::vector<Judgement>& judgements);

// "≤ 0.5 %", "99.997 %", or "-" for a missing value.
std::string goal_text(const FigureClaim& figure);
std::string value_text(const std::optional<double>& value, const FigureClaim& figure);

// The values of the baseline on this machine and the new ones, for --accept.
std::string acceptance_text(const Claim& claim, const Baseline& before, const AcceptedRun& accepted, int width);

}  // namespace dpm::cli
