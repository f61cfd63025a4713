// A machine of a scenario as one core of this one.
#pragma once

#include <map>
#include <string>

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm::native {

// A core of its own for every machine that has processes, in the order of the scenario, of the cores this process may
// use. Refuses when there are too few: machines that share a core would not be machines.
Result<std::map<std::string, int>> cores_of_machines(const Scenario& scenario);

// The calling process runs there and nowhere else.
Result<void> stay_on_core(int core);

}  // namespace dpm::native
