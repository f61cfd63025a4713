// Meters a running process: acquire() if it was never metered, take_over() from its keeper if its meter was killed or let
// it go, rescue() if both were killed.
#pragma once

#include <cstdint>

#include "backends/linux/custody/acquire/acquire.hpp"

namespace dpm {

// The calling process becomes its meter. The program has a keeper.
Result<MeteredProgram> take_program(std::uint32_t pid, const AcquireOptions& options);

}  // namespace dpm
