// A twin as a scenario file.
#pragma once

#include <string>

#include "twin/model.hpp"

namespace dpm::twin {

// The scenario, laid out for readers: a line for each step, lists of numbers in lines.
std::string scenario_text(const Twin& twin);

}  // namespace dpm::twin
