// How much faster, on real machines, another placement may be than the best that a search found.
//
// The best may take as long as its interval says, and each other placement as little as its own does. A search predicts
// thousands of placements; the intervals of the best of them are computed, and of the others it is assumed that the truth
// is below their prediction by no larger part than in the interval of these that reaches farthest down.
#pragma once

#include <span>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "analysis/prediction/interval.hpp"
#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"

namespace dpm {

struct JudgedPlacement {
  double elapsed_s = 0;  // predicted
  Interval interval;
};

// The first `most` candidates of a search from `base`, in their order. Fewer where predictions have no interval (recorded
// order).
std::vector<JudgedPlacement> judge(const History& history, const Target& base, const SearchResult& found,
                                   const PredictOptions& how, std::size_t most);

// Relative to the fastest that another placement may be. `judged`: the best placement, and those predicted to be the next ones;
// not empty. `others_at_least_s`: no further placement is predicted to take less. Infinite if an interval reaches to 0.
double true_regret_bound(std::span<const JudgedPlacement> judged, double others_at_least_s);
double true_regret_bound(const SearchResult& found, std::span<const JudgedPlacement> judged);

}  // namespace dpm
