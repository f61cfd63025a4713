// One simulation of a scenario, with its filters: into a trace directory, or straight into analyses.
#pragma once

#include <string>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "model/ledger.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

struct RecordedRun {
  SimTruth truth;
  Ledger ledger;
};

// Meters, filters and records into a new trace directory.
Result<RecordedRun> simulate_into(const std::string& trace_directory, const ScenarioFile& file, const Scenario& scenario);

// Without filters and without a trace: what a study asks of many runs.
Result<SimTruth> simulate(const Scenario& scenario, std::vector<EventSink*> sinks);

// "deadlock: ..." with who waits for what, when the run did not end by itself.
std::string how_it_ended(const SimTruth& truth);

}  // namespace dpm::cli
