// Runs what measures a claim: the script `run` in its folder, or the program validation_CLAIM that was built of it.
//
//     run [--quick] --dpm PROGRAM --result FILE
//
// It ends with 0 when it has measured, 77 when it cannot be tried on this machine (the last line it says is the
// reason, after "SKIPPED: " or alone), and anything else when it is broken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/validate/claim.hpp"

namespace dpm::cli {

struct RunnerOptions {
  bool is_quick = false;
  std::string plant;            // --plant NAME, for those that can; empty: none
  std::string dpm;              // the program that measures
  std::string programs_folder;  // with the programs validation_CLAIM
  std::string result_path;
};

enum class RunnerEnding { measured, skipped, broken };

struct RunnerOutcome {
  RunnerEnding ending = RunnerEnding::measured;
  std::string reason;  // unless it has measured
};

// `say` gets each line that the runner says while it runs, on either stream.
Result<RunnerOutcome> run_claim(const Claim& claim, const RunnerOptions& options,
                                const std::function<void(const std::string&)>& say);

}  // namespace dpm::cli
