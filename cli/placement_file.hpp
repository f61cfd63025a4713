// Placements given on the command line: a JSON file {"name": ..., "processes": {"process": "machine", ...}}, in which
// "machines" may name machines the trace did not have, with their speeds: {"machines": [{"name": "x", "speed": 2}]}.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/target.hpp"

namespace dpm::cli {

struct PlacementFile {
  Placement placement;
  std::vector<MachineInfo> machines;  // added to the trace's own
};

Result<PlacementFile> load_placement(const std::string& path);

// The trace's own placement for an empty path.
Result<ResolvedTarget> target_from(const History& history, const std::string& path);

}  // namespace dpm::cli
