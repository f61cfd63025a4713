// A metered program is the process that the user started. Its recorder finishes a moment later, so a command that reads
// the trace at once would read half of it.
#pragma once

#include <string>

namespace dpm::cli {

// Waits until no recorder writes to the trace directory, at most ten seconds. Does not wait while the recorded program
// itself runs, or processes that it has left behind. Reports the wait on a terminal.
void await_recorder(const std::string& directory);

}  // namespace dpm::cli
