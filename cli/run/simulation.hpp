// One simulation of a scenario, with its filters: into a trace directory, or straight into analyses.
#pragma once

#include <string>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "filter/rules.hpp"
#include "model/ledger.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

// The scenario's filters, understood: so that a mistake in them is found before anything is made.
struct Filters {
  std::vector<std::string> names;
  std::vector<RuleSet> rules;
};

Result<Filters> load_filters(const ScenarioFile& file);

struct RecordedRun {
  SimTruth truth;
  Ledger ledger;
  std::string failure;  // what went wrong in a run that began; its trace goes as far as it came

  // Every process that should end has ended.
  bool ended_well() const { return failure.empty() && !truth.deadlocked && truth.blocked.empty(); }
};

// Meters, filters and records into a new trace directory.
Result<RecordedRun> simulate_into(const std::string& trace_directory, Filters filters, const Scenario& scenario);

// Without filters and without a trace: what a study asks of many runs.
Result<SimTruth> simulate(const Scenario& scenario, std::vector<EventSink*> sinks);

// "the run ended by deadlock", and who waits for what.
std::string how_it_ended(const RecordedRun& run);

}  // namespace dpm::cli
