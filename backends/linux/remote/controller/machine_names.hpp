// Names of machines, as users write them.
#pragma once

#include <string>
#include <string_view>

#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "model/result.hpp"

namespace dpm::control {

// Refuses impossible names, above all those that a launcher would take for an option.
Result<void> check_machine_name(std::string_view name);

// Checks a name that the user typed, and replaces it by the first name that was used for the same machine, which is told.
Result<std::string> known_machine(const std::string& typed, Machines& machines, Console& console);

}  // namespace dpm::control
