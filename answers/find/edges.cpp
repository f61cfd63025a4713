#include "answers/find/edges.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dpm::cli {

std::vector<Edge> edges_of(std::span<const Item> items) {
  std::map<std::pair<ProcessId, ProcessId>, Edge> by_ends;
  for (const Item& item : items) {
    Edge& edge = by_ends[{item.from, item.to}];
    edge.from = item.from;
    edge.to = item.to;
    ++edge.items;
    if (item.took_ns != Item::kUnknown) edge.latencies.add(static_cast<std::uint64_t>(item.took_ns));
  }
  std::vector<Edge> edges;
  for (auto& [ends, edge] : by_ends) edges.push_back(std::move(edge));
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.items > b.items; });
  return edges;
}

}  // namespace dpm::cli
