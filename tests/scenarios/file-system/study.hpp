// Runs the shipped scenario and measures what the thesis measured, for the tests of this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/history/target.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "backends/sim/sim_source.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::test {

// The names of the four, in the order of thesis figure 5.13.
inline const std::vector<std::string> kFour = {"disk_interface", "buffer_manager", "directory_manager",
                                               "request_interpreter"};

const ScenarioFile& file_system();
Scenario scenario_of(const Overrides& overrides);

// One run, with everything the trace of its four processes shows.
struct Figures {
  double no_delay = 0, traced_delay = 0, traced = 0, alone = 0, together = 0;  // P, method thesis1984
  std::map<std::string, double> cpu_percent, sent_percent, bytes_percent;      // by process
  double disk_after_request = 0, disk_after_disk = 0, directory_after_user = 0;
  double queue_mean = 0;  // of the request interpreter
  double simulated_P = 0;
  std::uint64_t events = 0;  // SENDs and RECEIVEs of the four
};

Figures measure(std::uint64_t seed, std::map<std::string, double> parameters = {});

}  // namespace dpm::test
