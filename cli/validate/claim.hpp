// What a claim states and must reach (validation/CLAIM/claim.json), and the values obtained when it was last accepted
// (baseline.json). A file that cannot be read completely is refused with file and line, because a claim that is half read
// would hold too easily.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm::cli {

// Values of figures by name, each in its figure's own unit.
using Figures = std::map<std::string, double>;

struct Goal {
  bool is_most = true;  // at most, not at least
  double value = 0;
};

struct FigureClaim {
  std::string name, what, unit;
  std::optional<Goal> goal;  // without one it is only compared with its baseline
  bool lower_is_better = true;
  double noise = 0;      // worse than the baseline by more than this is worse
  bool in_quick = true;  // false: the quick form has too few cases for it
};

struct Claim {
  std::string name;    // of its folder
  std::string folder;  // a path
  std::string statement;
  std::vector<FigureClaim> figures;  // in the order of the file

  std::vector<std::string> figure_names() const;
  // The claim with all figures, or with those of its quick form.
  Claim form(bool is_quick) const;
};

// The figures of the whole claim, and of its quick form.
struct Baseline {
  Figures full, quick;

  const Figures& of(bool is_quick) const { return is_quick ? quick : full; }
  Figures& of(bool is_quick) { return is_quick ? quick : full; }
};

// `path` is FOLDER/NAME/claim.json: it gives the claim its name, and is shown in errors.
Result<Claim> parse_claim(std::string_view text, const std::string& path);

// Refuses figures that the claim does not have. need_baseline() refuses a baseline that lacks figures.
Result<Baseline> parse_baseline(std::string_view text, const std::string& path, const Claim& claim);
std::string baseline_text(const Claim& claim, const Baseline& baseline);
Result<void> need_baseline(const Claim& claim, const Figures& baseline, const std::string& path, bool is_quick);

}  // namespace dpm::cli
