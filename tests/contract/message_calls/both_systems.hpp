// One system of processes, run simulated and run natively: what the message calls promise holds in both.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "scenarios/native/native_run.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

namespace dpm::testing {

struct Ran {
  std::string where;  // "simulated" or "live"
  std::string error;  // of a program; empty if there was none
  std::string ended_by;
  std::vector<std::string> blocked;
  std::vector<PrintedLine> printed;
  std::vector<std::string> final_states, machines;  // of each process, at the end
};

template <typename Processes>
void add_endings(const Processes& processes, Ran& ran) {
  for (const auto& process : processes) {
    ran.final_states.push_back(process.final_state);
    ran.machines.push_back(process.machine);
  }
}

inline std::vector<Ran> run_both(const System& system) {
  std::vector<Ran> runs(2);
  const Outcome simulated = system.run();
  const SimTruth& truth = simulated.truth;
  runs[0] = {"simulated", simulated.error, truth.ended_by, truth.blocked, truth.printed, {}, {}};
  add_endings(truth.processes, runs[0]);
  const auto live = run_native(system.scenario);
  if (live && live->signal != 0) std::raise(SIGKILL);  // who ends this program means all of it
  if (!live) {
    runs[1] = {"live", live.error().what, "not begun", {}, {}, {}, {}};
  } else {
    runs[1] = {"live", live->failure, live->ended_by, live->blocked, live->printed, {}, {}};
    add_endings(live->processes, runs[1]);
  }
  return runs;
}

inline void check_that_all_ends(const System& system) {
  for (const Ran& ran : run_both(system)) {
    INFO(ran.where);
    CHECK(ran.error == "");
    CHECK(ran.ended_by == "every process ended");
  }
}

}  // namespace dpm::testing
