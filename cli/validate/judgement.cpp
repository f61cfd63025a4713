#include "cli/validate/judgement.hpp"

#include <algorithm>

namespace dpm::cli {
namespace {

// The value of the baseline in the figure's unit: for a ratio, what it makes of the other figure of this run.
std::optional<double> expected_value(const FigureClaim& figure, const References& references, const Figures& figures) {
  const auto reference = references.find(figure.name);
  if (reference == references.end()) return std::nullopt;
  if (figure.relative_to.empty()) return reference->second.value;
  const auto other = figures.find(figure.relative_to);
  return other == figures.end() ? std::nullopt : std::optional(reference->second.value * other->second);
}

bool is_worse_than(const Reference& reference, const FigureClaim& figure, double value) {
  const double noise = std::max(figure.noise, reference.noise);
  return figure.lower_is_better ? value > reference.value + noise : value < reference.value - noise;
}

Verdict judge_figure(const FigureClaim& figure, const References& references, const Figures& figures) {
  if (!figure.is_judged) return Verdict::not_judged;
  const double obtained = figures.at(figure.name);
  const bool misses =
      figure.goal && (figure.goal->is_most ? obtained > figure.goal->value : obtained < figure.goal->value);
  if (misses && figure.known_miss.empty()) return Verdict::misses_its_goal;
  const auto reference = references.find(figure.name);
  const auto value = comparable_value(figure, figures);
  const bool is_comparable = reference != references.end() && value;
  if (is_comparable && is_worse_than(reference->second, figure, *value)) return Verdict::worse_than_baseline;
  if (misses) return Verdict::misses_as_known;
  return is_comparable || figure.goal ? Verdict::holds : Verdict::no_reference;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::not_judged:
      return "not judged";
    case Verdict::holds:
      return "holds";
    case Verdict::no_reference:
      return "no reference";
    case Verdict::misses_as_known:
      return "misses its goal, as known";
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

Judgement judge(const Claim& claim, const References& references, ClaimResult result) {
  Judgement judgement;
  judgement.claim = claim;
  for (const auto& figure : claim.figures) {
    const Verdict verdict = judge_figure(figure, references, result.figures);
    judgement.verdict = std::max(judgement.verdict, verdict);
    judgement.figures.push_back(
        {figure, result.figures.at(figure.name), expected_value(figure, references, result.figures), verdict});
  }
  judgement.result = std::move(result);
  return judgement;
}

Judgement judge_unmeasured(const Claim& claim, const References& references, Verdict verdict, std::string reason) {
  Judgement judgement;
  judgement.claim = claim;
  judgement.verdict = verdict;
  judgement.reason = std::move(reason);
  for (const auto& figure : claim.figures)
    judgement.figures.push_back({figure, std::nullopt, expected_value(figure, references, {}), verdict});
  return judgement;
}

}  // namespace dpm::cli
