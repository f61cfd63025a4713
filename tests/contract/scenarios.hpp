// Small scenarios that make events of many kinds, for the contracts of sources and analyses.
#pragma once

#include <string>

#include "model/scenario.hpp"

namespace dpm {

// Machines "red" (skewed clock that ticks in microseconds) and "blue" (half as fast), a filter on red, and no
// processes.
Scenario two_machines();

// A process metered in everything.
ProcessDescription metered_process(const std::string& name, const std::string& machine, Program program);

// `clients` on both machines that CALL a server `requests` times each, with work of random length between.
Scenario busy_server(int clients, int requests);

}  // namespace dpm
