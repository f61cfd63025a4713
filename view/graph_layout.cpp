#include "view/graph_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace dpm::view {
namespace {

constexpr std::size_t kUnplaced = static_cast<std::size_t>(-1);

// Depth in the tree that always follows the heaviest arc to a node not yet reached. What cannot be reached begins anew.
std::vector<std::size_t> ranks_of(const Graph& graph) {
  std::vector<std::size_t> rank(graph.nodes.size(), kUnplaced);
  for (std::size_t start = 0; start < graph.nodes.size(); ++start) {
    if (rank[start] != kUnplaced) continue;
    rank[start] = 0;
    while (true) {
      const GraphArc* heaviest = nullptr;
      for (const auto& arc : graph.arcs) {
        if (rank[arc.from] == kUnplaced || rank[arc.to] != kUnplaced) continue;
        if (heaviest == nullptr || arc.weight > heaviest->weight) heaviest = &arc;
      }
      if (heaviest == nullptr) break;
      rank[heaviest->to] = rank[heaviest->from] + 1;
    }
  }
  return rank;
}

// Orders each column by the mean position of the neighbours, a few times to and fro: the usual way to fewer crossings.
void reduce_crossings(const Graph& graph, const std::vector<std::size_t>& rank,
                      std::vector<std::vector<std::size_t>>& columns) {
  std::vector<double> position(graph.nodes.size(), 0);
  const auto renumber = [&](const std::vector<std::size_t>& column) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      position[column[i]] = static_cast<double>(i) - static_cast<double>(column.size() - 1) / 2;
    }
  };
  for (const auto& column : columns) renumber(column);
  for (int sweep = 0; sweep < 4; ++sweep) {
    for (auto& column : columns) {
      std::vector<double> wanted(graph.nodes.size(), 0);
      for (const std::size_t node : column) {
        double sum = 0, weights = 0;
        for (const auto& arc : graph.arcs) {
          if (arc.from != node && arc.to != node) continue;
          const std::size_t other = arc.from == node ? arc.to : arc.from;
          if (rank[other] == rank[node]) continue;
          sum += position[other] * arc.weight;
          weights += arc.weight;
        }
        wanted[node] = weights > 0 ? sum / weights : position[node];
      }
      std::stable_sort(column.begin(), column.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });
      renumber(column);
    }
  }
}

PlacedGraph place_layered(const Graph& graph, const std::vector<BoxSize>& sizes, double width) {
  constexpr double kBetweenRows = 56, kBetweenColumnsMin = 96, kMargin = 8;
  PlacedGraph placed;
  placed.rank = ranks_of(graph);
  std::vector<std::vector<std::size_t>> columns;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    if (placed.rank[node] >= columns.size()) columns.resize(placed.rank[node] + 1);
    columns[placed.rank[node]].push_back(node);
  }
  reduce_crossings(graph, placed.rank, columns);

  double boxes_width = 0, tallest = 0;
  std::vector<double> column_width(columns.size(), 0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double height = -kBetweenRows;
    for (const std::size_t node : columns[c]) {
      column_width[c] = std::max(column_width[c], sizes[node].width);
      height += sizes[node].height + kBetweenRows;
    }
    boxes_width += column_width[c];
    tallest = std::max(tallest, height);
  }
  const auto gaps = static_cast<double>(columns.size() - 1);
  const double gap = gaps > 0 ? std::clamp((width - 2 * kMargin - boxes_width) / gaps, kBetweenColumnsMin, 190.0) : 0;
  placed.width = std::max(width, 2 * kMargin + boxes_width + gap * gaps);
  placed.height = tallest;

  placed.centres.resize(graph.nodes.size());
  double x = (placed.width - boxes_width - gap * gaps) / 2;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double height = -kBetweenRows;
    for (const std::size_t node : columns[c]) height += sizes[node].height + kBetweenRows;
    double y = (tallest - height) / 2;
    for (const std::size_t node : columns[c]) {
      placed.centres[node] = {x + column_width[c] / 2, y + sizes[node].height / 2};
      y += sizes[node].height + kBetweenRows;
    }
    x += column_width[c] + gap;
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
  // An ellipse wide enough for the page and high enough that neighbours do not touch.
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
