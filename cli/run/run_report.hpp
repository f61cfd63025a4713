// The report of `dpm run`: the report of the trace, with the published figures, sweeps and predictions of the study.
#pragma once

#include <string>
#include <vector>

#include "cli/findings/findings.hpp"
#include "cli/run/study_results.hpp"

namespace dpm::cli {

std::string run_report(const Findings& findings, const std::vector<SweepResult>& sweeps,
                       const std::vector<MatrixResult>& matrices, const std::vector<Comparison>& comparisons);

}  // namespace dpm::cli
