// Whether a scenario can run as real processes. What the simulator alone can give is refused: machines of another
// speed or of several cores, and faults. What the real machine has of its own is not looked at: delays, clocks, meter
// and filters.
#pragma once

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm::native {

Result<void> check_native(const Scenario& scenario);

}  // namespace dpm::native
