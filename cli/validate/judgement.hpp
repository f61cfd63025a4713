// Whether a claim holds: compares its figures with their goals and with the values obtained when it was last accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/validate/claim_result.hpp"

namespace dpm::cli {

// From good to bad: a claim's verdict is the worst verdict of its figures.
enum class Verdict { holds, skipped, worse_than_baseline, misses_its_goal, broken };

const char* name_of(Verdict verdict);  // "misses its goal"

struct FigureJudgement {
  FigureClaim figure;
  std::optional<double> obtained, baseline;
  Verdict verdict = Verdict::holds;
};

struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::holds;
  std::string reason;                    // why it was skipped, or is broken
  bool is_refused = false;               // broken, because its result could not be read
  std::vector<FigureJudgement> figures;  // all of the claim's
  ClaimResult result;
};

// `baseline` has every figure of the claim.
Judgement judge(const Claim& claim, const Figures& baseline, ClaimResult result);
// A judgement without figures: `verdict` is skipped or broken.
Judgement judge_unmeasured(const Claim& claim, const Figures& baseline, Verdict verdict, std::string reason);

}  // namespace dpm::cli
