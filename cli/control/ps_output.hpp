// The output of ps(1) on this machine.
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm::cli {

// The words are passed to it as they are; no shell sees them.
Result<std::vector<std::string>> ps_output(const std::vector<std::string>& words);

}  // namespace dpm::cli
