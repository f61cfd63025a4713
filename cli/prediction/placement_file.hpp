// Placements given on the command line: a JSON file {"name": ..., "processes": {"process": "machine", ...}}, in which
// "machines" may name machines the trace did not have, with their speeds and cores, or give others to those it had:
// {"machines": [{"name": "x", "speed": 2, "cores": 8}]}. What is not given stays as traced, or is 1. A machine that is
// part of a real one says which CPUs it is, and has as many cores: {"name": "core0", "cpus": [0]}. A file with
// "machines" need not place processes: they stay where they were traced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/history/target.hpp"

namespace dpm::cli {

struct PlacementMachine {
  std::string name;
  std::optional<double> speed;
  std::optional<std::uint16_t> cores;
};

struct PlacementFile {
  Placement placement;
  std::vector<PlacementMachine> machines;  // beside or instead of the trace's own

  std::vector<std::string> machine_names() const;
};

Result<PlacementFile> load_placement(const std::string& path);

// The trace's own placement for an empty path.
Result<ResolvedTarget> target_from(const History& history, const std::string& path);

// The history as if its trace said that processes ran as the file places them: a meter sees one machine where a program
// was kept on some of its CPUs. Returns the processes that the file leaves out.
Result<std::vector<std::string>> place_as_traced(History& history, const std::string& path);

}  // namespace dpm::cli
