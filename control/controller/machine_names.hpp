// Names of machines, as users write them.
#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm::control {

// Refuses impossible names, above all those that a launcher would take for an option.
Result<void> check_machine_name(std::string_view name);

}  // namespace dpm::control
