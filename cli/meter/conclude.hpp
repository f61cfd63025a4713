// After a metering: what its trace says, as results.json and report.html beside the trace, and as a summary on
// standard error.
#pragma once

#include "cli/meter/meter_summary.hpp"
#include "cli/meter/output_folder.hpp"
#include "cli/terminal.hpp"

namespace dpm::cli {

// A folder that is not kept is removed.
Result<void> conclude(const OutputFolder& folder, const MeteredFacts& program, const Recorded& recorded,
                      Terminal& terminal);

}  // namespace dpm::cli
