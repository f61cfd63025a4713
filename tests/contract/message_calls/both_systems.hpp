// One system of processes, run simulated and run natively: what the message calls promise holds in both.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "native/native_run.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace dpm::testing {

struct Ran {
  std::string where;  // "simulated" or "live"
  std::string error;  // of a program; empty if there was none
  std::string ended_by;
  std::vector<std::string> blocked;
  std::vector<PrintedLine> printed;
};

inline std::vector<Ran> run_both(const System& system) {
  std::vector<Ran> runs;
  const Outcome simulated = system.run();
  runs.push_back(
      {"simulated", simulated.error, simulated.truth.ended_by, simulated.truth.blocked, simulated.truth.printed});
  const auto live = run_native(system.scenario);
  if (live && live->signal != 0) std::raise(SIGKILL);  // who ends this program means all of it
  if (!live) {
    runs.push_back({"live", live.error().what, "not begun", {}, {}});
  } else {
    runs.push_back({"live", live->failure, live->ended_by, live->blocked, live->printed});
  }
  return runs;
}

}  // namespace dpm::testing
