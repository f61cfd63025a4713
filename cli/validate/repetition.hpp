// A claim about real time that fails may have met a disturbed machine. It is then measured twice more, and judged once more: by the
// median of each figure. A change of the program shows in all three. A figure without noise must hold each time: its worst value counts.
#pragma once

#include <vector>

#include "cli/validate/judgement.hpp"

namespace dpm::cli {

inline constexpr int kMeasuredMost = 3;

// Whether other measurements may lead to another verdict.
bool is_worth_repeating(const Judgement& judgement);

// The figures that `runs` of the claim together stand for, with what the first one shows, and a table of all of them.
ClaimResult combined(const Claim& claim, const std::vector<ClaimResult>& runs);

}  // namespace dpm::cli
