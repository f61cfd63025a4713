// The answers about placements: where processes are, and the best placement that a search finds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "answers/live/placement_trials.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

// `run_s`: how long the run took, by the clock.
view::Json placements_document(const PlacementTrials& trials, double run_s);
// Of a trace that cannot be predicted.
view::Json without_placements(const TraceInfo& info, const std::string& why_not);

Result<view::Json> search_best(const PlacementTrials& trials,
                               const std::function<void(std::uint64_t evaluated, std::uint64_t of)>& progress);

}  // namespace dpm::cli
