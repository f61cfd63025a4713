#include "cli/validate/judgement.hpp"

#include <algorithm>

namespace dpm::cli {
namespace {

Verdict judge(const FigureClaim& figure, double obtained, double baseline) {
  const auto is_worse = [&](double than) { return figure.lower_is_better ? obtained > than : obtained < than; };
  if (figure.goal && is_worse(figure.goal->value)) return Verdict::misses_its_goal;
  if (is_worse(figure.lower_is_better ? baseline + figure.noise : baseline - figure.noise))
    return Verdict::worse_than_baseline;
  return Verdict::holds;
}

std::optional<double> value_of(const Figures& figures, const std::string& name) {
  const auto found = figures.find(name);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::skipped:
      return "skipped";
    case Verdict::worse_than_baseline:
      return "worse than baseline";
    case Verdict::misses_its_goal:
      return "misses its goal";
    case Verdict::broken:
      return "broken";
  }
  return "";
}

Judgement judge(const Claim& claim, const Figures& baseline, ClaimResult result) {
  Judgement judgement;
  judgement.claim = claim;
  for (const auto& figure : claim.figures) {
    const double obtained = result.figures.at(figure.name), accepted = baseline.at(figure.name);
    const Verdict verdict = judge(figure, obtained, accepted);
    judgement.verdict = std::max(judgement.verdict, verdict);
    judgement.figures.push_back({figure, obtained, accepted, verdict});
  }
  judgement.result = std::move(result);
  return judgement;
}

Judgement judge_unmeasured(const Claim& claim, const Figures& baseline, Verdict verdict, std::string reason) {
  Judgement judgement;
  judgement.claim = claim;
  judgement.verdict = verdict;
  judgement.reason = std::move(reason);
  for (const auto& figure : claim.figures)
    judgement.figures.push_back({figure, std::nullopt, value_of(baseline, figure.name), verdict});
  return judgement;
}

}  // namespace dpm::cli
