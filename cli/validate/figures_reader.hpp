// {"FIGURE": NUMBER, ...} of a baseline or of a result.
#pragma once

#include <limits>

#include "cli/validate/claim.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm::cli {

inline constexpr Range kAnyFigure{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};

// Reports figures that the claim does not have, and values that are not numbers. Figures that this form of the claim leaves out are
// not returned.
Figures read_figures(const JsonNode& node, const std::string& what, const Claim& claim, const Reading& reading);

}  // namespace dpm::cli
