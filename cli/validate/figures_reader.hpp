// {"FIGURE": NUMBER, ...} of a baseline or of a result.
#pragma once

#include "cli/validate/claim.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm::cli {

// A figure that the claim does not have is a problem, and so is what is no number.
Figures read_figures(const JsonNode& node, const std::string& what, const Claim& claim, const Reading& reading);

}  // namespace dpm::cli
