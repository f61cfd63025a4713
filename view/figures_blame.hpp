// Figures of dpm blame: where the time of a process went, as a tree, a table of causes, and a flame graph.
#pragma once

#include <string>
#include <vector>

#include "analysis/blame/blame_tree.hpp"
#include "model/trace_info.hpp"
#include "view/figure.hpp"

namespace dpm::view {

// Shares that are estimated from samples have their intervals beside them.
std::vector<Figure> blame_figures(const BlameTree& tree, const TraceInfo& info);

}  // namespace dpm::view
