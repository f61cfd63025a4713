// The state diagram of a server (thesis figure 5.19) as a graph to draw.
#pragma once

#include "analysis/causality/causality.hpp"
#include "view/graph.hpp"

namespace dpm::cli {

view::Graph state_diagram(const Causality& causality, const TraceInfo& info);

}  // namespace dpm::cli
