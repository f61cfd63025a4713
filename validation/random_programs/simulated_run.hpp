// A simulated run and the history graph of its trace, everybody in the computation: what a prediction starts from, and
// what it is held against. SimGrid shares no code with the replay.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "backends/sim/sim_truth.hpp"
#include "model/result.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::validation {

struct SimulatedRun {
  Scenario scenario;
  SimTruth truth;
  History history;

  double elapsed_s() const { return truth.makespan_all.seconds(); }
  double T_s() const;
  double P() const { return T_s() / elapsed_s(); }

  // Where the processes of another run of the same program stand, for the trace of this one.
  Result<Target> target_of(const SimulatedRun& other) const;
};

// Forks a child for the simulation (backends/sim/sim_source.hpp), so any number can follow each other.
Result<SimulatedRun> simulate(Scenario scenario);
Result<SimulatedRun> simulate(const ScenarioFile& file, const std::string& placement,
                              std::map<std::string, double> parameters = {}, std::uint64_t seed = 1);

}  // namespace dpm::validation
