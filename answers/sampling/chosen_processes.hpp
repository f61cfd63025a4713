// The words of --of as a selection: those of sampling/proc/selection.hpp, and the processes of a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"
#include "sampling/proc/selection.hpp"

namespace dpm::cli {

// The words of --of: "pid 12" in quotes are two, too.
std::vector<std::string> choice_words(const std::vector<std::string>& typed);

// The processes of a trace that run on this machine; nothing if none does.
Result<std::optional<sampling::Selection>> running_of_trace(const std::string& path);

// Without words: the processes of the caller's session.
Result<sampling::Selection> chosen_processes(const std::vector<std::string>& words);

// Why the counts have no sample, or no thread, and what to try; "" if they have some.
std::string why_nothing_was_found(const sampling::CountArray& counts, const sampling::Selection& selection);

}  // namespace dpm::cli
