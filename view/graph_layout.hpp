// Places the boxes of a graph. Pure geometry: sizes in, centres out.
#pragma once

#include <vector>

#include "view/graph.hpp"
#include "view/svg.hpp"

namespace dpm::view {

struct BoxSize {
  double width = 0, height = 0;
};

struct PlacedGraph {
  std::vector<Point> centres;     // by node
  std::vector<std::size_t> rank;  // by node: column of the layered layout, 0 on a circle
  double width = 0, height = 0;
};

PlacedGraph place_nodes(const Graph& graph, const std::vector<BoxSize>& sizes, double width);

}  // namespace dpm::view
