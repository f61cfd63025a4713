// Predictions for other placements, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"
#include "analysis/prediction/tracing_cost.hpp"
#include "answers/reading/trace_caveats.hpp"

namespace dpm::cli {

// What was changed (`dpm predict --speed` and similar options), and the prediction without the change.
struct PredictionChange {
  std::vector<std::string> words;
  Prediction before;
  std::vector<std::string> notes;
};

// `files` describe the placements. A placement that has no name has that of its file, which the table shows without the
// folder that all have. `changes` is empty, or has one entry for each prediction.
std::string prediction_text(const std::vector<Prediction>& predictions, const std::vector<std::string>& files,
                            const std::vector<PredictionChange>& changes, const TraceInfo& info, int width);
nlohmann::ordered_json caveats_json(const TraceCaveats& caveats);
nlohmann::ordered_json change_json(const PredictionChange& change);
nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info);

// The metering cost that was removed from a live trace's CPU times, and the predictions without removing it.
std::string taken_out_text(const TracingCost& cost, const std::vector<Prediction>& with_it);
nlohmann::ordered_json taken_out_json(const TracingCost& cost, const Prediction& with_it, const TraceInfo& info);

}  // namespace dpm::cli
