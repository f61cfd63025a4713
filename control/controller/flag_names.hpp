// Meter flags as users of the controller write them (metering report 4.3): UNIX names, separated by blanks.
#pragma once

#include <string>
#include <vector>

#include "model/meter_flags.hpp"

namespace dpm::control {

// The report's ten in its order, then those that our meters add.
std::vector<std::string> flag_names();

// "send receive fork accept connect"; "none" if no flag is set.
std::string flag_words(MeterFlags flags);

}  // namespace dpm::control
