// The placements that a search found, as a table and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/regret.hpp"
#include "analysis/prediction/search.hpp"

namespace dpm::cli {

// `judged`: the best candidates with their intervals; none if predictions have no interval.
// The table may cut the names of processes; below it, the best placement is printed in full at any width.
std::string search_text(const SearchResult& found, std::span<const JudgedPlacement> judged, int width);

// The best candidate's prediction, with `candidates`, `regret_bound` and `true_regret_bound`.
nlohmann::ordered_json search_json(const SearchResult& found, std::span<const JudgedPlacement> judged,
                                   const Prediction& best, const TraceInfo& info);

}  // namespace dpm::cli
