// The page of `dpm validate --report`: each claim with its statement, verdict, figures, matrices and pictures.
#pragma once

#include <vector>

#include "cli/validate/judgement.hpp"
#include "view/report.hpp"

namespace dpm::cli {

view::ReportInput claims_report(const std::vector<Judgement>& judgements, bool is_quick);

}  // namespace dpm::cli
