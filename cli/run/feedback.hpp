// Runs a scenario with each of several schedulers, and without one in every placement, and says how much was done when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/scenario.hpp"
#include "scheduling/decisions/journal.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct FeedbackRun {
  std::string name;                     // of the policy, or of the placement
  std::vector<std::uint64_t> received;  // messages that processes received, by step of time
  double elapsed_s = 0;
  std::vector<JournalEntry> journal;

  // Messages a second, from the step that holds `from_s` until the end.
  double rate_from(double from_s, double step_s) const;
};

struct FeedbackStudy {
  double step_s = 1;
  std::size_t steps = 0;  // of the longest run
  std::vector<FeedbackRun> policies;
  std::optional<FeedbackRun> best_static;  // does most in the time, or its work in the least time
  std::uint64_t static_placements = 0;     // tried

  double settled_rate(const FeedbackRun& run) const { return run.rate_from(run.elapsed_s / 2, step_s); }
  double whole_rate(const FeedbackRun& run) const { return run.rate_from(0, step_s); }
};

// `scenario` has a description of a scheduler, and no scheduler. Refuses unknown policies.
Result<FeedbackStudy> run_feedback(const Scenario& scenario, const Say& say);

}  // namespace dpm::cli
