// Predictions for other placements, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"
#include "analysis/prediction/tracing_cost.hpp"
#include "cli/input/trace_doubts.hpp"

namespace dpm::cli {

// What was changed (`dpm predict --speed` and the like), and the prediction without it.
struct PredictionChange {
  std::vector<std::string> words;
  Prediction before;
  std::vector<std::string> notes;
};

// `changes`: empty, or one for each prediction.
std::string prediction_text(const std::vector<Prediction>& predictions, const std::vector<PredictionChange>& changes,
                            const TraceInfo& info, int width);
nlohmann::ordered_json doubts_json(const TraceDoubts& doubts);
nlohmann::ordered_json change_json(const PredictionChange& change);
nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info);

// What was taken out of a live trace's CPU times, and the predictions as they are with it left in.
std::string taken_out_text(const TracingCost& cost, const std::vector<Prediction>& with_it);
nlohmann::ordered_json taken_out_json(const TracingCost& cost, const Prediction& with_it, const TraceInfo& info);

std::string search_text(const SearchResult& found, int width);
// The best candidate's prediction, with `candidates` and `regret_bound`.
nlohmann::ordered_json search_json(const SearchResult& found, const Prediction& best, const TraceInfo& info);

}  // namespace dpm::cli
