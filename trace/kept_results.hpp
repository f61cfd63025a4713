// A file of results that 'dpm meter --summary' has kept instead of a trace. Only its beginning is known here, so that readers of traces can
// refuse it with a reason; answers/kept has the rest.
#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

inline constexpr std::string_view kResultsMagic = "dpm-results\n";

bool holds_results(const std::string& path);

// Why the file cannot be read as a trace.
Error results_are_no_trace(const std::string& path);

}  // namespace dpm
