// The words of --of as a selection: those of sampling/proc/selection.hpp, and the processes of a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "sampling/proc/selection.hpp"

namespace dpm::cli {

// The processes of a trace that run on this machine; nothing if none does.
Result<std::optional<sampling::Selection>> running_of_trace(const std::string& path);

// Without words: the processes of the caller's session.
Result<sampling::Selection> chosen_processes(const std::vector<std::string>& words);

}  // namespace dpm::cli
