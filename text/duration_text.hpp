// Times as people write them.
#pragma once

#include <string>

#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

// "30s", "500ms", "20us", "100ns", "1.5m", "12h", "7d"; without a unit, seconds. Not negative. The error says what is expected.
Result<Duration> duration_from(const std::string& text);

}  // namespace dpm
