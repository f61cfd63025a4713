// The report of `dpm run`: the report of the trace, with the published figures, schedulers, sweeps and predictions of the study.
// `views` is what the page shows of the trace (answers/live/file_data.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "answers/findings/findings.hpp"
#include "cli/run/feedback.hpp"
#include "cli/run/study_results.hpp"

namespace dpm::cli {

std::string run_report(const Findings& findings, const FeedbackStudy* feedback, const std::vector<SweepResult>& sweeps,
                       const std::vector<MatrixResult>& matrices, const std::vector<Comparison>& comparisons,
                       const nlohmann::ordered_json& views);

}  // namespace dpm::cli
