// The sections of a report that a single trace can fill.
#pragma once

#include <string>

#include "cli/findings/findings.hpp"
#include "view/report.hpp"

namespace dpm::cli {

// The whole report of `dpm report`.
view::ReportInput trace_report(const Findings& findings);

}  // namespace dpm::cli
