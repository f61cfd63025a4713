// A figure of a report: a heading, a drawing, and the sentence that says how to read it.
#pragma once

#include <string>
#include <variant>

#include "view/charts.hpp"
#include "view/flame_graph.hpp"
#include "view/graph.hpp"
#include "view/space_time.hpp"
#include "view/table.hpp"

namespace dpm::view {

struct Figure {
  std::string heading;
  std::string caption;
  std::variant<Table, LineChart, ScatterChart, BarChart, HeatMap, Graph, SpaceTime, FlameGraph> drawing;
  bool wide = false;  // takes the whole width of the page
};

}  // namespace dpm::view
