// What a claim states and must reach (validation/CLAIM/claim.json). A file that cannot be read completely is refused with
// file and line, because a claim that is half read would hold too easily.
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
  // Worse than the baseline by more than this is worse: in the figure's unit, or as a difference of ratios.
  double noise = 0;
  bool in_quick = true;  // false: the quick form has too few cases for it
  // Another figure, measured in the same run: the ratio to it is compared with the baseline, on any machine.
  std::string relative_to;
  bool is_judged = true;   // false: it is shown, because it helps to understand the others, and depends on the machine
  std::string known_miss;  // why the goal is not reached today; empty: it is
};

struct Claim {
  std::string name;    // of its folder
  std::string folder;  // a path
  std::string statement;
  bool is_timed = false;             // its figures are about real time: they differ between machines and runs
  std::vector<FigureClaim> figures;  // in the order of the file
  std::vector<std::string>
      left_out;  // figures of the claim that this form of it leaves out; a runner may measure them all the same

  std::vector<std::string> figure_names() const;
  // The claim with all figures, or with those of its quick form.
  Claim form(bool is_quick) const;
};

// What is compared with the baseline: the figure, or its ratio. Nothing if it is not there or cannot be divided.
std::optional<double> comparable_value(const FigureClaim& figure, const Figures& figures);

// `path` is FOLDER/NAME/claim.json: it gives the claim its name, and is shown in errors.
Result<Claim> parse_claim(std::string_view text, const std::string& path);

}  // namespace dpm::cli
