// Whether a claim holds: compares its figures with their goals and with the values obtained when it was accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/validate/baseline.hpp"
#include "cli/validate/claim_result.hpp"

namespace dpm::cli {

// From good to bad: a claim's verdict is the worst verdict of its figures. Those after `skipped` are failures.
enum class Verdict {
  not_judged,  // it is only shown
  holds,
  no_reference,     // nothing was accepted that it can be compared with
  misses_as_known,  // its goal, as the claim states
  skipped,
  worse_than_baseline,
  misses_its_goal,
  broken
};

const char* name_of(Verdict verdict);  // "misses its goal"

struct FigureJudgement {
  FigureClaim figure;
  std::optional<double> obtained, baseline;  // in the figure's unit
  Verdict verdict = Verdict::holds;
};

struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::holds;
  std::string machine;                   // that the figures are of, if they differ between machines
  std::string reason;                    // why it was skipped, or is broken
  bool is_refused = false;               // broken, because its result could not be read
  std::vector<FigureJudgement> figures;  // all of the claim's
  ClaimResult result;
};

// Only figures about real time may lack a reference.
Judgement judge(const Claim& claim, const References& references, ClaimResult result);
// A judgement without figures: `verdict` is skipped or broken.
Judgement judge_unmeasured(const Claim& claim, const References& references, Verdict verdict, std::string reason);

}  // namespace dpm::cli
