// The sections of a report about a single trace.
#pragma once

#include <string>

#include "answers/findings/findings.hpp"
#include "view/report.hpp"

namespace dpm::cli {

// The whole report of `dpm report`.
view::ReportInput trace_report(const Findings& findings);

}  // namespace dpm::cli
