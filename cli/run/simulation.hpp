// Simulates a scenario once, with its filters: into a trace directory, or directly into analyses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "filter/rules.hpp"
#include "model/ledger.hpp"
#include "model/time.hpp"
#include "scenarios/scenario_file.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

// Compiles the scenario's filters, so that a mistake in them is found before any file is made.
struct Filters {
  std::vector<std::string> names;
  std::vector<RuleSet> rules;
};

Result<Filters> load_filters(const ScenarioFile& file);

struct RecordedRun {
  SimTruth truth;
  Ledger ledger;
  std::string failure;  // why the run ended early; the trace has the events until then

  // Every process that should end has ended, or the run has reached a limit that the scenario sets.
  bool ended_well() const { return failure.empty() && !truth.deadlocked && (truth.at_limit || truth.blocked.empty()); }
};

// Whom to tell how far it has come, and what to call it: "simulating 'crowd'".
struct Progressing {
  Say say;
  std::string doing;
};

struct SimulatedTrace {
  std::optional<Duration> window;  // of the simulation's own time
  bool compressed = false;
};

// Meters, filters and records into a new trace directory.
Result<RecordedRun> simulate_into(const std::string& trace_directory, Filters filters, const Scenario& scenario,
                                  const Progressing& progress, SimulatedTrace form = {});

// Without filters and without a trace, for the many runs of a study.
Result<SimTruth> simulate(const Scenario& scenario, std::vector<EventSink*> sinks, const Progressing& progress);

// "the run ended by deadlock", and what each process waits for.
std::string how_it_ended(const RecordedRun& run, bool all);

}  // namespace dpm::cli
