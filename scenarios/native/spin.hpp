// Keeps the CPU busy.
#pragma once

#include "model/time.hpp"

namespace dpm::native {

// Until this process has used that much more CPU time, by its own clock: as long as it takes on a CPU it shares.
void spin(Duration cpu_time);

}  // namespace dpm::native
