// Runs the runner of a claim: the script `run.py` in its folder (`run` in another language), or the program
// validation_CLAIM that was built from it.
//
//     run.py [--quick] --dpm PROGRAM --result FILE
//
// Its exit status is 0 if it has measured, 77 if the claim cannot be tried on this machine (its last line is the reason,
// alone or after "SKIPPED: "), and anything else if it is broken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/validate/claim.hpp"

namespace dpm::cli {

struct RunnerOptions {
  bool is_quick = false;
  std::string plant;            // --plant NAME, for runners that support it; empty: none
  std::string dpm;              // the program that measures
  std::string programs_folder;  // with the programs validation_CLAIM
  std::string result_path;
};

enum class RunnerEnding { measured, skipped, broken };

struct RunnerOutcome {
  RunnerEnding ending = RunnerEnding::measured;
  std::string reason;  // empty if it has measured
};

// `say` gets each line that the runner prints while it runs, on either stream.
Result<RunnerOutcome> run_claim(const Claim& claim, const RunnerOptions& options,
                                const std::function<void(const std::string&)>& say);

}  // namespace dpm::cli
