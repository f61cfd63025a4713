// What a claim obtained when it was accepted (validation/CLAIM/baseline.json).
//
// A claim that gives the same figures on every machine is accepted once. A claim about real time is accepted on several
// machines, and several times on each. No name of a machine says how it will measure, because machines of one name differ as much as
// others: so each run is compared with all that were accepted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/validate/claim.hpp"

namespace dpm::cli {

struct AcceptedRun {
  std::string machine;  // empty: any
  Figures full, quick;

  const Figures& of(bool is_quick) const { return is_quick ? quick : full; }
  Figures& of(bool is_quick) { return is_quick ? quick : full; }
};

// What a figure should be: in its own unit, or as a ratio if the figure is relative to another.
struct Reference {
  double value = 0;  // of a ratio the median of all runs; of any other figure the worst
  double noise = 0;  // of a ratio: the largest difference of any run from the median
};
using References = std::map<std::string, Reference>;  // by figure

class Baseline {
 public:
  const std::vector<AcceptedRun>& runs() const { return runs_; }
  void add(AcceptedRun run) { runs_.push_back(std::move(run)); }
  // The run takes the place of the only one if the claim is not timed. Otherwise it is added, and the oldest run of a
  // machine that has more than kRunsMost goes.
  void accept(const Claim& claim, AcceptedRun run);

  // Figures that no run has are missing, and those that are not judged.
  References references(const Claim& claim, bool is_quick) const;

  static constexpr std::size_t kRunsMost = 9;

 private:
  std::vector<AcceptedRun> runs_;
};

// Refuses figures that the claim does not have. need_baseline() refuses a baseline without a figure that is the same on
// every machine.
Result<Baseline> parse_baseline(std::string_view text, const std::string& path, const Claim& claim);
std::string baseline_text(const Claim& claim, const Baseline& baseline);
Result<void> need_baseline(const Claim& claim, const Baseline& baseline, const std::string& path, bool is_quick);

}  // namespace dpm::cli
