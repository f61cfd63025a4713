// The analyses a scenario asks for, answered from its trace.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/history/history.hpp"
#include "analysis/prediction/prediction.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

Result<SharingMethod> method_from(const PredictionChoice& choice);
Result<std::optional<Order>> order_from(const PredictionChoice& choice);

// The first request for parallelism in the file, or the default one.
AnalysisRequest parallelism_request(const ScenarioFile& file);

// The roles that the file's first request for causality names.
Result<CausalityOptions> causality_options(const ScenarioFile& file, const Scenario& scenario);
Result<CausalityOptions> causality_options(const AnalysisRequest& request, const Scenario& scenario);

// No names: the processes the scenario marks as the computation.
Result<Computation> computation_of(const Scenario& scenario, const std::vector<std::string>& names, bool external_time);

// Refuses words and processes in the file's analyses and predictions that nobody knows: before anything is simulated.
Result<void> check_requests(const ScenarioFile& file, const Scenario& scenario);

// What stands in results.json under the request's name.
Result<nlohmann::ordered_json> answer(const AnalysisRequest& request, const ScenarioFile& file,
                                      const Overrides& overrides, const std::string& trace_directory);

}  // namespace dpm::cli
