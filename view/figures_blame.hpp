// Figures of dpm blame: where the time of a process went, as a tree, a table of causes, and a flame graph.
#pragma once

#include <string>
#include <vector>

#include "analysis/blame/blame.hpp"
#include "model/trace_info.hpp"
#include "view/figure.hpp"

namespace dpm::view {

// `what` is what was divided: "client", "request 3 of client".
std::vector<Figure> blame_figures(const BlameNode& root, const std::string& what, const TraceInfo& info);

}  // namespace dpm::view
