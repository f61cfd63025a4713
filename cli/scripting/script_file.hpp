// Reads an event script from a file.
#pragma once

#include <string>

#include "filter/scripts/event_script.hpp"

namespace dpm::cli {

Result<EventScript> load_event_script(const std::string& path);

}  // namespace dpm::cli
