// The words of --of as a selection: those of sampling/proc/selection.hpp, and "trace OUT".
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"
#include "sampling/proc/selection.hpp"

namespace dpm::cli {

// Without words: the processes of the caller's session.
// Whether a process of the trace runs on this machine; true for what is not a trace, which chosen_processes() refuses.
bool trace_runs_here(const std::string& path);

Result<sampling::Selection> chosen_processes(const std::vector<std::string>& words);

}  // namespace dpm::cli
