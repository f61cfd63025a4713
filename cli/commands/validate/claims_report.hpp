// The page of `dpm validate --report`: each claim with its statement, verdict, figures, matrices and pictures.
#pragma once

#include <vector>

#include "cli/validate/history.hpp"
#include "cli/validate/judgement.hpp"
#include "view/report.hpp"

namespace dpm::cli {

// `history` ends with this run; with fewer than two entries it is not shown.
view::ReportInput claims_report(const std::vector<Judgement>& judgements, bool is_quick,
                                const std::vector<HistoryEntry>& history);

}  // namespace dpm::cli
