// The start of a group: what its members do first, again and again, and last.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

// `starts`: the whole start of each member. Cycles that are not repeated often enough are counted in `twin`.
Steps start_steps(const Material& material, const Group& group, const std::vector<TokenRun>& starts, TwinGroup& twin,
                  std::vector<std::string>& warnings);

}  // namespace dpm::twin
