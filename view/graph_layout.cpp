#include "view/graph_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace dpm::view {
namespace {

constexpr std::size_t kUnplaced = static_cast<std::size_t>(-1);

struct Places {
  std::vector<std::size_t> rank;  // column
  std::vector<std::size_t> row;
};

// A tree that always follows the heaviest arc to a node not yet reached. A node stands one column behind its parent. The
// first child is in its parent's row, so that the heaviest way is a straight line; later children are in the next free
// row. Nodes that cannot be reached start a new tree.
Places places_of(const Graph& graph) {
  const std::size_t count = graph.nodes.size();
  Places places{std::vector<std::size_t>(count, kUnplaced), std::vector<std::size_t>(count, 0)};
  std::vector<std::size_t> rows_used;  // by column
  const auto place = [&](std::size_t node, std::size_t rank, std::size_t row_wanted) {
    if (rank >= rows_used.size()) rows_used.resize(rank + 1, 0);
    places.rank[node] = rank;
    places.row[node] = std::max(row_wanted, rows_used[rank]);
    rows_used[rank] = places.row[node] + 1;
  };
  for (std::size_t start = 0; start < count; ++start) {
    if (places.rank[start] != kUnplaced) continue;
    place(start, 0, 0);
    while (true) {
      const GraphArc* heaviest = nullptr;
      for (const auto& arc : graph.arcs) {
        if (places.rank[arc.from] == kUnplaced || places.rank[arc.to] != kUnplaced) continue;
        if (heaviest == nullptr || arc.weight > heaviest->weight) heaviest = &arc;
      }
      if (heaviest == nullptr) break;
      place(heaviest->to, places.rank[heaviest->from] + 1, places.row[heaviest->from]);
    }
  }
  return places;
}

PlacedGraph place_layered(const Graph& graph, const std::vector<BoxSize>& sizes, double width) {
  constexpr double kBetweenRows = 58, kBetweenColumnsMin = 96, kMargin = 8;
  const Places places = places_of(graph);
  std::vector<double> column_width, row_height;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    column_width.resize(std::max(column_width.size(), places.rank[node] + 1), 0);
    row_height.resize(std::max(row_height.size(), places.row[node] + 1), 0);
    column_width[places.rank[node]] = std::max(column_width[places.rank[node]], sizes[node].width);
    row_height[places.row[node]] = std::max(row_height[places.row[node]], sizes[node].height);
  }
  const double boxes = std::accumulate(column_width.begin(), column_width.end(), 0.0);
  const auto gaps = static_cast<double>(column_width.size() - 1);
  const double gap = gaps > 0 ? std::clamp((width - 2 * kMargin - boxes) / gaps, kBetweenColumnsMin, 200.0) : 0;

  PlacedGraph placed;
  placed.rank = places.rank;
  placed.width = std::max(width, 2 * kMargin + boxes + gap * gaps);
  std::vector<double> column_x, row_y;
  double x = (placed.width - boxes - gap * gaps) / 2, y = 0;
  for (const double w : column_width) {
    column_x.push_back(x + w / 2);
    x += w + gap;
  }
  for (const double h : row_height) {
    row_y.push_back(y + h / 2);
    y += h + kBetweenRows;
  }
  placed.height = y - kBetweenRows;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    placed.centres.push_back({column_x[places.rank[node]], row_y[places.row[node]]});
  }
  return placed;
}

PlacedGraph place_circle(const Graph& graph, const std::vector<BoxSize>& sizes, double width) {
  PlacedGraph placed;
  const auto count = static_cast<double>(graph.nodes.size());
  double widest = 0, highest = 0;
  for (const auto& size : sizes) {
    widest = std::max(widest, size.width);
    highest = std::max(highest, size.height);
  }
  // An ellipse as wide as the page, and high enough to keep neighbours apart.
  const double across = std::max((width - widest) / 2 - 40, 60.0);
  const double down = std::clamp(count * 26, 110.0, 280.0);
  placed.width = std::max(width, 2 * across + widest + 16);
  placed.height = 2 * down + highest;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(i) / count) - std::numbers::pi / 2;
    placed.centres.push_back({placed.width / 2 + across * std::cos(angle), placed.height / 2 + down * std::sin(angle)});
  }
  placed.rank.assign(graph.nodes.size(), 0);
  return placed;
}

}  // namespace

PlacedGraph place_nodes(const Graph& graph, const std::vector<BoxSize>& sizes, double width) {
  if (graph.nodes.empty()) return {{}, {}, width, 0};
  return graph.layout == GraphLayout::layered ? place_layered(graph, sizes, width) : place_circle(graph, sizes, width);
}

}  // namespace dpm::view
