#include "validation/random_programs/simulated_run.hpp"

#include <utility>

#include "backends/sim/sim_source.hpp"

namespace dpm::validation {

double SimulatedRun::T_s() const {
  double sum_s = 0;
  for (const auto& process : truth.processes) sum_s += static_cast<double>(process.cpu_time_ns) * 1e-9;
  return sum_s;
}

Result<Target> SimulatedRun::target_of(const SimulatedRun& other) const {
  auto resolved = resolve(history, placement_of(other.scenario));
  if (!resolved) return resolved.error();
  return std::move(resolved->target);
}

Result<SimulatedRun> simulate(Scenario scenario) {
  HistoryBuilder builder(Computation{.everybody = true});
  SimSource source(scenario);
  const auto failed = [&](const Error& error) {
    return Error{scenario.name + ", " + scenario.placement + ": " + error.what};
  };
  if (const auto done = source.run(builder); !done) return failed(done.error());
  auto history = builder.take();
  if (!history) return failed(history.error());
  return SimulatedRun{std::move(scenario), source.truth(), std::move(*history)};
}

Result<SimulatedRun> simulate(const ScenarioFile& file, const std::string& placement,
                              std::map<std::string, double> parameters, std::uint64_t seed) {
  auto scenario = instantiate(file, {placement, seed, std::move(parameters)});
  if (!scenario) return scenario.error();
  return simulate(std::move(*scenario));
}

}  // namespace dpm::validation
