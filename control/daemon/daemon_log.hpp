// What a daemon writes to its log, which attach() opens as its standard error.
#pragma once

#include <string>

namespace dpm {

void log_line(const std::string& line);

}  // namespace dpm
