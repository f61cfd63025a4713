// How long a simulated run took, how parallel it was, and how busy its machines were: by the simulator's own account, not
// by an analysis of the trace, so filters and losses do not change it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "backends/sim/sim_truth.hpp"
#include "model/scenario.hpp"

namespace dpm::cli {

// The time until the last activity of some processes, and their CPU time.
struct RunSpan {
  double elapsed_s = 0;
  double T_s = 0;
  double P() const { return elapsed_s > 0 ? T_s / elapsed_s : 0; }
};

struct MachineUse {
  std::string machine;
  std::uint16_t cores = 1;
  std::size_t processes = 0;  // that were on it last
  double cpu_s = 0;           // also of processes that have left it
  double utilisation = 0;     // of all its cores, while the run lasted
};

struct RunTotals {
  RunSpan run;                        // every process of the scenario
  RunSpan computation;                // only those in the computation
  std::vector<std::string> left_out;  // processes outside the computation
  std::size_t processes = 0;
  std::vector<MachineUse> machines;  // in the order of the scenario
};

RunTotals run_totals(const SimTruth& truth, const Scenario& scenario);

// Without `all` only the busiest machines.
std::string run_totals_text(const RunTotals& totals, int width, bool all = false);

// The elements that the entry "simulated" of results.json has of it.
nlohmann::ordered_json run_totals_json(const RunTotals& totals);

}  // namespace dpm::cli
