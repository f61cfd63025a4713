// All commands, in the order of the help. The build generates both lists from the folders beside this file.
#pragma once

#include "cli/command.hpp"

namespace dpm::cli {

// The commands of the program dpm: those that it runs, and those of dpm-sim, which it only lists.
Commands dpm_commands();
std::vector<std::string> simulator_command_names();

// The commands of the program dpm-sim.
Commands simulator_commands();

}  // namespace dpm::cli
