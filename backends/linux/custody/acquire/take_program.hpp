// Meters a process that runs already, whoever has metered it before: acquire() if nobody, take_over() from its keeper
// if its meter was killed or has let it go, rescue() if both were killed.
#pragma once

#include <cstdint>

#include "backends/linux/custody/acquire/acquire.hpp"

namespace dpm {

// The calling process becomes its meter; it has a keeper.
Result<MeteredProgram> take_program(std::uint32_t pid, const AcquireOptions& options);

}  // namespace dpm
