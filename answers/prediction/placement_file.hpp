// Placements given on the command line: a JSON file {"name": ..., "processes": {"process": "machine", ...}}. Its
// "machines" add machines to those of the trace, or change their speeds and cores:
// {"machines": [{"name": "x", "speed": 2, "cores": 8}]}. A value that is not given stays as traced, or is 1. A machine
// that is part of a real one names its CPUs, and has that number of cores: {"name": "core0", "cpus": [0]}. "delay" is the
// factor by which messages between machines take longer, and "replicas" has the number of copies of processes:
// {"delay": 2, "replicas": {"server": 3}}. In a file with one of these three, "processes" may be missing: all processes then
// stay where they were traced.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/history/target.hpp"
#include "analysis/prediction/what_if.hpp"

namespace dpm::cli {

struct PlacementMachine {
  std::string name;
  std::optional<double> speed;
  std::optional<std::uint16_t> cores;
};

struct PlacementFile {
  Placement placement;
  std::vector<PlacementMachine> machines;  // added to the trace's machines, or replacing them
  WhatIf changes;                          // "delay" and "replicas"
  int line = 0;                            // of "processes"
  std::map<std::string, int> line_of_process;

  std::vector<std::string> machine_names() const;
};

Result<PlacementFile> load_placement(const std::string& path);

// For programs that run: a file with delays or copies, which can only be predicted, is refused.
Result<PlacementFile> load_real_placement(const std::string& path);

struct FileTarget {
  Target target;
  std::vector<std::string> left_out;  // processes that the file does not name: they stay where they were traced
  WhatIf changes = {};                // that `target` has
  std::vector<std::string> notes;     // about them
  std::shared_ptr<const History> with_copies = {};  // what `target` is of, where the file has copies of processes

  const History& history(const History& traced) const { return with_copies ? *with_copies : traced; }
};

// An empty path stands for the trace's own placement.
Result<FileTarget> target_from(const History& history, const std::string& path);
// Where copies have no meaning: a file that has some is refused.
Result<FileTarget> target_without_copies(const History& history, const std::string& path);

// Writes where `target` has the processes of the history to a new file, in the form that target_from() reads. Machines
// that the trace does not have are described in it.
Result<void> write_placement(const std::string& path, const History& history, const Target& target,
                             const WhatIf& changes = {});

// The text of that file. Of `changes`, it has the delay between all machines and the copies, which `target` has already.
std::string placement_text(const History& history, const Target& target, const WhatIf& changes = {});

// Changes the history as if its processes had been traced where the file places them: a meter sees a single machine even
// if a program was bound to some of its CPUs. Returns the processes that the file leaves out.
Result<std::vector<std::string>> place_as_traced(History& history, const std::string& path);

}  // namespace dpm::cli
