// Translates the names in a scenario's requests: methods, orders, and the processes they are about.
#pragma once

#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/history/history.hpp"
#include "analysis/prediction/prediction.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

Result<SharingMethod> method_from(const PredictionChoice& choice);
Result<std::optional<Order>> order_from(const PredictionChoice& choice);

// The first request for parallelism in the file, or the default request.
AnalysisRequest parallelism_request(const ScenarioFile& file);

// The roles that the file's first request for causality names.
Result<CausalityOptions> causality_options(const ScenarioFile& file, const Scenario& scenario);
Result<CausalityOptions> causality_options(const AnalysisRequest& request, const Scenario& scenario);

// Without names: the processes that the scenario marks as the computation.
Result<Computation> computation_of(const Scenario& scenario, const std::vector<std::string>& names, bool external_time);

// Refuses unknown methods, orders and processes in the file's analyses and predictions, before anything is simulated.
Result<void> check_requests(const ScenarioFile& file, const Scenario& scenario);

}  // namespace dpm::cli
