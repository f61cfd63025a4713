#include "formats/otf2/otf2_places.hpp"

#include <fmt/format.h>

#include <map>

namespace dpm {

std::string Otf2Places::text(std::uint32_t id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() || found->second.empty() ? "?" : found->second;
}

MachineId Otf2Places::machine(TraceInfo& info, std::uint32_t node) {
  const auto [found, is_new] = machines_.try_emplace(node, MachineId{static_cast<std::uint16_t>(info.machines.size())});
  if (!is_new) return found->second;
  const auto name = nodes_.find(node);
  info.machines.push_back({name == nodes_.end() ? "machine" : text(name->second)});
  return found->second;
}

Result<void> Otf2Places::describe(TraceInfo& info) {
  constexpr std::size_t kMachinesMax = 60'000;  // they have 16 bits
  if (locations_.empty()) return Error{"it has no locations"};
  if (nodes_.size() > kMachinesMax)
    return Error{fmt::format("it has {} machines, {} is the most", nodes_.size(), kMachinesMax)};
  std::unordered_map<std::uint32_t, ProcessId> main_threads;
  std::map<std::string, std::uint32_t> named;
  for (const Location& location : locations_) {
    const ProcessId id{static_cast<std::uint32_t>(info.processes.size())};
    ids_[location.id] = id;
    const auto known = processes_.find(location.process);
    const Process process = known == processes_.end() ? Process{location.name, 0} : known->second;
    const auto [main, is_main] = main_threads.try_emplace(location.process, id);
    ProcessInfo described;
    described.name = is_main ? text(process.name) : fmt::format("{}/{}", info[main->second].name, text(location.name));
    if (const std::uint32_t number = ++named[described.name]; number > 1) described.name += fmt::format("#{}", number);
    described.program = text(process.name);
    described.machine = machine(info, process.node);
    if (!is_main) described.group = main->second;
    info.processes.push_back(std::move(described));
  }
  return {};
}

std::vector<std::uint64_t> Otf2Places::locations() const {
  std::vector<std::uint64_t> ids;
  for (const Location& location : locations_) ids.push_back(location.id);
  return ids;
}

std::optional<ProcessId> Otf2Places::process_of(std::uint64_t location) const {
  const auto found = ids_.find(location);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ProcessId> Otf2Places::process_of(std::uint32_t communicator, std::uint32_t rank) const {
  const auto of = communicators_.find(communicator);
  const auto group = of == communicators_.end() ? groups_.end() : groups_.find(of->second);
  if (group == groups_.end() || rank >= group->second.members.size()) return std::nullopt;
  const std::uint64_t member = group->second.members[rank];
  if (!group->second.is_indirect) return process_of(member);
  return member < participants_.size() ? process_of(participants_[member]) : std::nullopt;
}

}  // namespace dpm
