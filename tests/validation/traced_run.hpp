// A simulated run and the history graph of its trace, everybody in the computation: what a prediction starts from, and
// what it is held against.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

#include "analysis/prediction/prediction.hpp"
#include "backends/sim/sim_source.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::test {

struct TracedRun {
  Scenario scenario;
  SimTruth truth;
  History history;

  explicit TracedRun(Scenario to_run) : scenario(std::move(to_run)) {
    HistoryBuilder builder(Computation{.everybody = true});
    SimSource source(scenario);
    const auto done = source.run(builder);
    if (!done) throw std::runtime_error(scenario.name + ": " + done.error().what);
    truth = source.truth();
    auto built = builder.take();
    if (!built) throw std::runtime_error(scenario.name + ": " + built.error().what);
    history = std::move(*built);
  }

  double elapsed_s() const { return truth.makespan_all.seconds(); }
  double cpu_ns() const {
    double sum = 0;
    for (const auto& process : truth.processes) sum += static_cast<double>(process.cpu_time_ns);
    return sum;
  }
  double P() const { return cpu_ns() * 1e-9 / elapsed_s(); }

  Prediction predict(const Scenario& elsewhere, const PredictOptions& options = {}) const {
    const auto target = resolve(history, placement_of(elsewhere));
    if (!target) throw std::runtime_error(scenario.name + ": " + target.error().what);
    const auto prediction = dpm::predict(history, target->target, options);
    if (!prediction) throw std::runtime_error(scenario.name + ": " + prediction.error().what);
    return *prediction;
  }
};

inline std::filesystem::path scenarios_folder() {
  const char* root = std::getenv("DPM_SOURCE_DIR");
  return std::filesystem::path(root == nullptr ? "." : root) / "scenarios";
}

inline ScenarioFile shipped_scenario(const std::filesystem::path& folder) {
  auto file = load_scenario(folder, shipped_programs());
  if (!file) throw std::runtime_error(file.error().what);
  return *file;
}

inline Scenario instance(const ScenarioFile& file, const std::string& placement,
                         std::map<std::string, double> parameters = {}, std::uint64_t seed = 1) {
  Overrides overrides;
  overrides.placement = placement;
  overrides.seed = seed;
  overrides.parameters = std::move(parameters);
  auto scenario = instantiate(file, overrides);
  if (!scenario) throw std::runtime_error(scenario.error().what);
  return *scenario;
}

}  // namespace dpm::test
