#include "model/check_scenario.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/nearest_name.hpp"

namespace dpm {
namespace {

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

class Checker {
 public:
  explicit Checker(const Scenario& scenario)
      : scenario_(scenario),
        machines_(names_of(scenario.machines)),
        processes_(names_of(scenario.processes)),
        filters_(names_of(scenario.filters)),
        machine_set_(machines_.begin(), machines_.end()),
        process_set_(processes_.begin(), processes_.end()) {}

  Result<void> check() {
    if (machines_.empty()) return Error{about("it has no machine")};
    unique("machine", machines_);
    unique("process", processes_);
    unique("filter", filters_);
    for (const auto& machine : scenario_.machines) check_machine(machine);
    for (const auto& process : scenario_.processes) check_process(process);
    for (const auto& filter : scenario_.filters)
      if (!filter.machine.empty()) known_machine(filter.machine, "filter '" + filter.name + "'");
    for (const auto& program : scenario_.programs)
      if (!program.program) complain("program '" + program.name + "' has no code");
    for (const auto& fault : scenario_.faults) check_fault(fault);
    constexpr std::size_t kMostMachines = 65535;  // a MachineId has 16 bits, and one value means none
    if (machines_.size() > kMostMachines) complain("it has more than 65535 machines");
    if (problem_.empty()) return {};
    return Error{about(problem_)};
  }

 private:
  std::string about(const std::string& what) const { return "scenario '" + scenario_.name + "': " + what; }

  void complain(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  void unique(const std::string& kind, const std::vector<std::string>& names) {
    std::set<std::string> seen;
    for (const auto& name : names) {
      if (name.empty()) complain("a " + kind + " has no name");
      if (!seen.insert(name).second) complain(kind + " '" + name + "' is declared twice");
    }
  }

  void known_machine(const std::string& name, const std::string& who) {
    if (machine_set_.count(name) == 0)
      complain(who + " wants machine '" + name + "', which is not declared" + did_you_mean(name, machines_));
  }

  void check_machine(const MachineDescription& machine) {
    if (!(machine.speed > 0)) complain("machine '" + machine.name + "' must have a speed above 0");
    if (machine.cores == 0) complain("machine '" + machine.name + "' must have at least one core");
    if (!(machine.clock.drift_ppm > -1e6)) complain("the clock of machine '" + machine.name + "' runs backwards");
    if (machine.clock.tick.ns < 0) complain("the clock tick of machine '" + machine.name + "' is negative");
  }

  void check_process(const ProcessDescription& process) {
    const std::string who = "process '" + process.name + "'";
    if (!process.program) complain(who + " has no program");
    known_machine(process.machine, who);
    if (!process.filter.empty() && std::find(filters_.begin(), filters_.end(), process.filter) == filters_.end())
      complain(who + " wants filter '" + process.filter + "', which is not declared" +
               did_you_mean(process.filter, filters_));
    std::set<std::string> targets;
    for (const auto& target : process.links) {
      if (process_set_.count(target) == 0)
        complain(who + " has a link to '" + target + "', which is not a process" + did_you_mean(target, processes_));
      if (!targets.insert(target).second) complain(who + " has two links to '" + target + "'");
    }
  }

  void check_fault(const Fault& fault) {
    if (fault.at.ns < 0) complain("a fault happens before the beginning");
    known_machine(fault.machine, "a fault");
    const bool of_link = fault.kind == FaultKind::link_down || fault.kind == FaultKind::link_up;
    if (of_link) known_machine(fault.other_machine, "a fault of a link");
  }

  const Scenario& scenario_;
  std::vector<std::string> machines_, processes_, filters_;
  std::set<std::string> machine_set_, process_set_;
  std::string problem_;  // the first one
};

}  // namespace

Result<void> check_scenario(const Scenario& scenario) { return Checker(scenario).check(); }

}  // namespace dpm
