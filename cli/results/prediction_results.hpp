// Predictions for other placements, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/prediction/prediction.hpp"

namespace dpm::cli {

std::string prediction_text(const std::vector<Prediction>& predictions, int width);
nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info);

}  // namespace dpm::cli
