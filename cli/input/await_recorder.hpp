// A metered program is the process the user started; what records it finishes a moment later. Who reads the trace at
// once would read half of it.
#pragma once

#include <string>

namespace dpm::cli {

// Waits until nobody records into the trace directory any more, ten seconds at most; not at all while the recorded
// program itself is running, or processes that it has left behind. Says so on a terminal.
void await_recorder(const std::string& directory);

}  // namespace dpm::cli
