// A simulated run and the history graph of its trace, with all processes in the computation: what a prediction starts
// from, and what it is compared with. SimGrid shares no code with the replay.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "analysis/prediction/prediction.hpp"
#include "backends/sim/sim_source.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::validation {

// Failures are thrown as std::runtime_error: a claim that cannot be measured is broken.
struct TracedRun {
  Scenario scenario;
  SimTruth truth;
  History history;

  // `plant`: an error to plant in what is known of the run and in how it is predicted (planted_error.hpp).
  explicit TracedRun(Scenario to_run, const std::string& plant = "");

  double elapsed_s() const { return truth.makespan_all.seconds(); }
  double cpu_ns() const;
  double P() const { return cpu_ns() * 1e-9 / elapsed_s(); }

  // The places of the processes elsewhere, for the trace of this run.
  Target target_on(const Scenario& elsewhere) const;
  Prediction predict(const Scenario& elsewhere, const PredictOptions& options = {}) const;

 private:
  std::string plant_;
};

std::filesystem::path scenarios_folder();
ScenarioFile shipped_scenario(const std::filesystem::path& folder);

// The scenario in one of its placements.
Scenario instance(const ScenarioFile& file, const std::string& placement, std::map<std::string, double> parameters = {},
                  std::uint64_t seed = 1);

}  // namespace dpm::validation
