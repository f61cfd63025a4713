#include "scenarios/system_template.hpp"

#include <string_view>
#include <unordered_map>

#include "model/check.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

std::vector<std::string> SystemTemplate::machines_in(const std::string& name) const {
  const std::string otherwise = scenario.machines.size() == 1 ? scenario.machines.front().name : "";
  std::vector<std::string> machines;
  for (const auto& process : scenario.processes) machines.push_back(process.machine);
  if (const auto moves = placements.find(name); moves != placements.end()) {
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t p = 0; p < scenario.processes.size(); ++p) index[scenario.processes[p].name] = p;
    for (const auto& move : moves->second)
      for (std::size_t i = 0; i < move.processes->size(); ++i)
        machines[index.at((*move.processes)[i])] = scenario.machines[move.machines[i % move.machines.size()]].name;
  }
  for (auto& machine : machines)
    if (machine.empty()) machine = otherwise;
  return machines;
}

std::string SystemTemplate::on_no_machine(const std::string& process, const std::string& in_placement) const {
  const std::string text = "process '" + process + "' is on no machine: give it a 'machine'";
  if (!in_placement.empty()) return text + ", or a place in every placement";
  if (placements.empty()) return text;
  return text + ", or the scenario a 'placement', or choose one of its placements: --placement " +
         placements.begin()->first;
}

Result<Scenario> place(const SystemTemplate& system, const std::string& placement, std::optional<std::uint64_t> seed) {
  DPM_CHECK(placement.empty() || system.placements.count(placement) == 1);
  const std::string& name = placement.empty() ? system.placement : placement;
  std::vector<std::string> machines = system.machines_in(name);
  Problems problems(system.path.string());
  for (const auto& entry : system.entries) {
    for (const std::size_t member : entry.members) {
      if (!machines[member].empty()) continue;
      problems.add(entry.line, system.on_no_machine(system.scenario.processes[member].name, name));
      break;  // the others of its group are like it
    }
  }
  if (!problems.empty()) return problems.error();
  Scenario scenario = system.scenario;
  scenario.placement = name;
  if (seed) scenario.seed = *seed;
  for (std::size_t p = 0; p < machines.size(); ++p) scenario.processes[p].machine = std::move(machines[p]);
  return scenario;
}

}  // namespace dpm
