#include "validation/common/traced_run.hpp"

#include <fmt/format.h>

#include "validation/common/need.hpp"
#include "validation/common/planted_error.hpp"

namespace dpm::validation {

TracedRun::TracedRun(Scenario to_run, const std::string& plant) : scenario(std::move(to_run)), plant_(plant) {
  const std::string of_what = fmt::format("{}, {}", scenario.name, scenario.placement);
  HistoryBuilder builder(Computation{.all_processes = true});
  SimSource source(scenario);
  need(source.run(builder), of_what);
  truth = source.truth();
  history = need(builder.take(), of_what);
  plant_error(plant, history);
}

double TracedRun::cpu_ns() const {
  double sum = 0;
  for (const auto& process : truth.processes) sum += static_cast<double>(process.cpu_time_ns);
  return sum;
}

Target TracedRun::target_on(const Scenario& elsewhere) const {
  return need(resolve(history, placement_of(elsewhere)), scenario.name).target;
}

Prediction TracedRun::predict(const Scenario& elsewhere, const PredictOptions& options) const {
  return need(dpm::predict(history, target_on(elsewhere), with_error(plant_, options)), scenario.name);
}

std::filesystem::path scenarios_folder() { return std::filesystem::path(DPM_SOURCE_DIR) / "scenarios"; }

ScenarioFile shipped_scenario(const std::filesystem::path& folder) {
  return need(load_scenario(folder, shipped_programs()), folder.filename().string());
}

Scenario instance(const ScenarioFile& file, const std::string& placement, std::map<std::string, double> parameters,
                  std::uint64_t seed) {
  Overrides overrides;
  overrides.placement = placement;
  overrides.seed = seed;
  overrides.parameters = std::move(parameters);
  return need(instantiate(file, overrides), placement);
}

}  // namespace dpm::validation
