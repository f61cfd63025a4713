#include "analysis/prediction/regret.hpp"

#include <algorithm>
#include <limits>

#include "model/check.hpp"

namespace dpm {

std::vector<JudgedPlacement> judge(const History& history, const Target& base, const SearchResult& found,
                                   const PredictOptions& how, std::size_t most) {
  std::vector<JudgedPlacement> judged;
  for (std::size_t i = 0; i < std::min(most, found.candidates.size()); ++i) {
    Target target = base;
    target.machine_of = found.candidates[i].machine_of;
    const auto prediction = predict(history, target, how);
    if (!prediction || !prediction->interval) break;
    judged.push_back({prediction->elapsed_s, *prediction->interval});
  }
  return judged;
}

double true_regret_bound(std::span<const JudgedPlacement> judged, double others_at_least_s) {
  DPM_CHECK(!judged.empty());
  double fastest_s = std::numeric_limits<double>::infinity(), least_part = 1;
  for (const JudgedPlacement& placement : judged) {
    fastest_s = std::min(fastest_s, placement.interval.low_elapsed_s);
    if (placement.elapsed_s > 0)
      least_part = std::min(least_part, placement.interval.low_elapsed_s / placement.elapsed_s);
  }
  fastest_s = std::min(fastest_s, least_part * others_at_least_s);
  if (fastest_s <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, judged.front().interval.high_elapsed_s / fastest_s - 1);
}

double true_regret_bound(const SearchResult& found, std::span<const JudgedPlacement> judged) {
  return true_regret_bound(judged, found.exhaustive ? judged.back().elapsed_s
                                                    : found.candidates.front().elapsed_s / (1 + found.regret_bound));
}

}  // namespace dpm
