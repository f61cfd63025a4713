#include "cli/validate/figures_reader.hpp"

#include <algorithm>

namespace dpm::cli {

Figures read_figures(const JsonNode& node, const std::string& what, const Claim& claim, const Reading& reading) {
  Figures figures;
  if (!reading.expect(node, JsonKind::object, what)) return figures;
  const std::vector<std::string> known = claim.figure_names();
  for (const auto& member : node.members) {
    if (std::find(claim.left_out.begin(), claim.left_out.end(), member.key) != claim.left_out.end()) continue;
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      reading.problems.add(member.line,
                           "claim '" + claim.name + "' has no figure '" + member.key + "'" + hint(member.key, known));
    } else {
      figures[member.key] = reading.number(member.value, "figure '" + member.key + "'", kAnyFigure);
    }
  }
  return figures;
}

}  // namespace dpm::cli
