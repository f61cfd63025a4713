#include "analysis/history/target.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "model/nearest_name.hpp"

namespace dpm {
namespace {

template <typename Described>
std::vector<std::string> names_of(const std::vector<Described>& described) {
  std::vector<std::string> names;
  for (const auto& one : described) names.push_back(one.name);
  return names;
}

std::unordered_map<std::string, std::uint32_t> index_of(const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::uint32_t> index;
  for (std::uint32_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  return index;
}

}  // namespace

std::vector<PlacementMistake> mistakes_in(const Placement& placement, const History& history,
                                          const std::vector<MachineInfo>& machines) {
  if (placement.machine_of_process.empty()) return {{"", R"(it names no process; give "process": "machine" pairs)"}};
  const auto process_names = names_of(history.info.processes);
  const auto machine_names = names_of(machines);
  const auto processes = index_of(process_names);
  const auto known_machines = index_of(machine_names);
  std::vector<PlacementMistake> mistakes;
  for (const auto& [process, machine] : placement.machine_of_process) {
    if (!processes.contains(process))
      mistakes.push_back(
          {process, fmt::format("no process '{}' in the trace{}", process, did_you_mean(process, process_names))});
    if (!known_machines.contains(machine))
      mistakes.push_back({process, fmt::format("no machine '{}' for process '{}'{}", machine, process,
                                               did_you_mean(machine, machine_names))});
  }
  return mistakes;
}

Target traced_target(const History& history) {
  Target target;
  target.placement = history.info.placement;
  target.machines = history.info.machines;
  target.delays = history.info.delays;
  for (const auto& process : history.info.processes) target.machine_of.push_back(process.machine);
  return target;
}

Target traced_without_messages(const History& history) {
  Target target = traced_target(history);
  target.delays = {};
  return target;
}

Result<ResolvedTarget> resolve(const History& history, const Placement& placement) {
  return resolve(history, placement, history.info.machines, history.info.delays);
}

Result<ResolvedTarget> resolve(const History& history, const Placement& placement, std::vector<MachineInfo> machines,
                               DelayModel delays) {
  const std::string here = fmt::format("placement '{}': ", placement.name);
  const auto mistakes = mistakes_in(placement, history, machines);
  if (!mistakes.empty()) return Error{here + mistakes.front().what};

  const auto process_names = names_of(history.info.processes);
  const auto machine_index = index_of(names_of(machines));
  ResolvedTarget resolved;
  Target& target = resolved.target;
  target.placement = placement.name;
  target.delays = std::move(delays);
  target.machine_of.assign(process_names.size(), MachineId{});
  for (const auto& [process, machine] : placement.machine_of_process) {
    const MachineId there{static_cast<std::uint16_t>(machine_index.at(machine))};
    // Processes of one name (a program started several times) move together.
    for (std::uint32_t p = 0; p < process_names.size(); ++p) {
      if (process_names[p] == process) target.machine_of[p] = there;
    }
  }
  for (std::uint32_t p = 0; p < process_names.size(); ++p) {  // threads stay with their process
    const ProcessId process = history.info.processes[p].group;
    if (target.machine_of[p].is_none() && process.value < process_names.size())
      target.machine_of[p] = target.machine_of[process.value];
  }
  for (std::uint32_t p = 0; p < process_names.size(); ++p) {
    if (!target.machine_of[p].is_none()) continue;
    const MachineId traced = history.info.processes[p].machine;
    const std::string name = traced.value < history.info.machines.size() ? history.info[traced].name : "(unknown)";
    const auto found = machine_index.find(name);
    const bool matters = history.first_event[p] != history.first_event[p + 1];
    if (found == machine_index.end()) {
      if (!matters) continue;
      return Error{fmt::format("{}it does not place process '{}', whose traced machine '{}' is not among the machines",
                               here, process_names[p], name)};
    }
    target.machine_of[p] = MachineId{static_cast<std::uint16_t>(found->second)};
    if (matters && history.info.processes[p].group.is_none()) resolved.left_out.push_back(process_names[p]);
  }
  target.machines = std::move(machines);
  return resolved;
}

}  // namespace dpm
