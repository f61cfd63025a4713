#include "view/graph.hpp"

#include <algorithm>
#include <cmath>

namespace dpm::view {
namespace {

std::string dot_string(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe + "\"";
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string dot = "digraph " + dot_string(graph.title) + " {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    dot += "  n" + std::to_string(i) + " [label=" + dot_string(graph.nodes[i].label);
    if (graph.nodes[i].outside) dot += ", style=\"rounded,dashed\"";
    dot += "];\n";
  }
  for (const auto& arc : graph.arcs) {
    dot += "  n" + std::to_string(arc.from) + " -> n" + std::to_string(arc.to) + " [label=" + dot_string(arc.label) +
           ", weight=" + std::to_string(std::llround(std::max(0.0, arc.weight))) + "];\n";
  }
  return dot + "}\n";
}

}  // namespace dpm::view
