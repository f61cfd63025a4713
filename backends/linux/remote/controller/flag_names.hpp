// Meter flags as the controller's users write them (metering report 4.3): words with blanks between, by the names of
// UNIX.
#pragma once

#include <string>
#include <vector>

#include "model/meter_flags.hpp"

namespace dpm::control {

// The report's ten in its order, then what our meters know besides.
std::vector<std::string> flag_names();

// "send receive fork accept connect"; "none" when nothing is set.
std::string flag_words(MeterFlags flags);

}  // namespace dpm::control
