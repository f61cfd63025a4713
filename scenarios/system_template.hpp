// The system of a scenario file, read and checked for one choice of parameters: everything but the machines of its processes.
//
// Reading is the long part. A template is placed as often as runs are wanted: for each placement, for each seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/scenario.hpp"
#include "scenarios/behaviour/behaviour.hpp"

namespace dpm {

struct SystemTemplate {
  // Processes go to machines in turn. Groups are not copied: a file can name many placements of a large one.
  struct Move {
    ProcessNames processes;
    std::vector<std::uint32_t> machines;  // indices into scenario.machines
  };
  // A process of the file, or a group of them.
  struct Entry {
    int line = 0;
    std::vector<std::size_t> members;  // indices into scenario.processes
  };

  std::filesystem::path path;
  Scenario scenario;      // its processes stand where their "machine" says, or nowhere yet
  std::string placement;  // of the base run; "" when the file names none
  std::map<std::string, std::vector<Move>> placements;
  std::vector<Entry> entries;

  // The machine of each process in `name`; "" for a process without one.
  std::vector<std::string> machines_in(const std::string& name) const;

  // "process 'x' is on no machine: ...", and what the author or the user can do.
  std::string on_no_machine(const std::string& process, const std::string& in_placement) const;
};

// The scenario with its processes in `placement`, one that the file has, or "" for the file's own. Refuses a placement that
// leaves a process on no machine.
Result<Scenario> place(const SystemTemplate& system, const std::string& placement,
                       std::optional<std::uint64_t> seed = std::nullopt);

}  // namespace dpm
