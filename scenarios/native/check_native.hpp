// Whether a scenario can run as real processes. What only the simulator can do is refused: machines of another speed or
// with several cores, and faults. Delays, clocks, meter and filters are ignored: the real machine has its own.
#pragma once

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm::native {

Result<void> check_native(const Scenario& scenario);

}  // namespace dpm::native
