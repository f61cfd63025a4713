// A machine of a scenario as one core of this one.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm::native {

// For every machine that has processes, in the order of the scenario, one of the cores that this process may use.
// Refuses if there are too few: two machines on one core would slow each other down. Machines without processes, to which
// one may migrate, get what is left.
Result<std::map<std::string, int>> cores_of_machines(const Scenario& scenario);

// From now on the process runs there only; 0 is the calling one.
Result<void> stay_on_core(int core, pid_t process = 0);

}  // namespace dpm::native
