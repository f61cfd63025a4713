#include "cli/report/state_diagram.hpp"

#include <algorithm>

#include "cli/text_table.hpp"

namespace dpm::cli {

view::Graph state_diagram(const Causality& causality, const TraceInfo& info) {
  view::Graph graph;
  graph.title = "State diagram";
  graph.description = "the processes of the server and how requests pass between them, with probabilities";
  graph.nodes.push_back({.label = "users", .note = std::to_string(causality.requests) + " requests", .outside = true});
  std::vector<std::uint32_t> node_of(info.processes.size(), 0);
  for (std::size_t p = 0; p < causality.letters.size(); ++p) {
    if (causality.letters[p].empty()) continue;
    node_of[p] = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back({.label = info.processes[p].name, .note = causality.letters[p]});
  }
  const auto node = [&](ProcessId process) { return process.is_none() ? 0 : node_of[process.value]; };
  for (const auto& state : causality.states)
    graph.arcs.push_back({node(state.from), node(state.to), static_cast<double>(state.count), fixed(state.probability, 2),
                          std::to_string(state.count) + " messages"});
  return graph;
}

}  // namespace dpm::cli
