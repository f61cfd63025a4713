// The commands that several workers can run together.
#pragma once

#include "cli/command.hpp"

namespace dpm {

cli::Commands divided_commands();

}  // namespace dpm
