// The processes and machines of an OTF2 archive: locations become processes, nodes of the system tree machines, and ranks of communicators name
// locations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class Otf2Places {
 public:
  // ---- definitions, as the archive has them: what they refer to may come later
  void add_text(std::uint32_t id, std::string text) { texts_[id] = std::move(text); }
  void add_node(std::uint32_t id, std::uint32_t name) { nodes_[id] = name; }
  void add_process(std::uint32_t id, std::uint32_t name, std::uint32_t node) { processes_[id] = {name, node}; }
  void add_location(std::uint64_t id, std::uint32_t name, std::uint32_t process) {
    locations_.push_back({id, name, process});
  }
  void add_wait_region(std::uint32_t id) { wait_regions_.insert(id); }
  // Locations by rank, or (`is_indirect`) places in the list of locations that take part.
  void add_ranks(std::uint32_t group, std::vector<std::uint64_t> members, bool is_indirect) {
    groups_[group] = {std::move(members), is_indirect};
  }
  void set_participants(std::vector<std::uint64_t> locations) { participants_ = std::move(locations); }
  void add_communicator(std::uint32_t id, std::uint32_t group) { communicators_[id] = group; }

  // After all definitions: processes and machines, into `info`. Refuses an archive without locations.
  Result<void> describe(TraceInfo& info);

  std::vector<std::uint64_t> locations() const;
  std::optional<ProcessId> process_of(std::uint64_t location) const;
  std::optional<ProcessId> process_of(std::uint32_t communicator, std::uint32_t rank) const;
  bool is_wait(std::uint32_t region) const { return wait_regions_.contains(region); }

 private:
  struct Process {
    std::uint32_t name = 0, node = 0;
  };
  struct Location {
    std::uint64_t id = 0;
    std::uint32_t name = 0, process = 0;
  };
  struct Group {
    std::vector<std::uint64_t> members;
    bool is_indirect = false;
  };
  std::string text(std::uint32_t id) const;
  MachineId machine(TraceInfo& info, std::uint32_t node);

  std::unordered_map<std::uint32_t, std::string> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> nodes_;  // names
  std::unordered_map<std::uint32_t, Process> processes_;
  std::vector<Location> locations_;
  std::unordered_set<std::uint32_t> wait_regions_;
  std::unordered_map<std::uint32_t, Group> groups_;
  std::vector<std::uint64_t> participants_;
  std::unordered_map<std::uint32_t, std::uint32_t> communicators_;  // groups
  std::unordered_map<std::uint32_t, MachineId> machines_;           // by node
  std::unordered_map<std::uint64_t, ProcessId> ids_;                // by location
};

}  // namespace dpm
