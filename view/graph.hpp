// Boxes and arrows: the state diagram of a server (thesis figure 5.19) and the hot spots display (1988 paper V.A).
//
// layered: the heaviest way from the first node is a straight line from left to right, so that a reader sees the usual
//          path of a request first; arcs back bow below arcs forth.
// circle:  all processes at the same distance, for a first look at who talks to whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm::view {

enum class GraphLayout { layered, circle };
enum class GraphColour {
  weight,  // thickness shows the weight
  heat,    // colour too: violet is the least, red the most, as in the hot spots display
};

struct GraphNode {
  std::string label;
  std::string note;      // a second line, small
  double heat = 0;       // 0 to 1: how full the box is
  bool outside = false;  // drawn with a dashed border
  std::string tip;
};

struct GraphArc {
  std::uint32_t from = 0, to = 0;  // indices of nodes
  double weight = 0;
  std::string label;
  std::string tip;
};

struct Graph {
  std::string title, description;
  GraphLayout layout = GraphLayout::layered;
  GraphColour colour = GraphColour::weight;
  std::vector<GraphNode> nodes;  // layered: requests begin at the first
  std::vector<GraphArc> arcs;
};

// For Graphviz. Labels are quoted, so any name is safe.
std::string to_dot(const Graph& graph);

}  // namespace dpm::view
