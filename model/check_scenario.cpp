#include "model/check_scenario.hpp"

#include <fmt/format.h>

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
      if (!filter.machine.empty()) known_machine(filter.machine, fmt::format("filter '{}'", filter.name));
    for (const auto& program : scenario_.programs)
      if (!program.program) complain(fmt::format("program '{}' has no code", program.name));
    for (const auto& fault : scenario_.faults) check_fault(fault);
    constexpr std::size_t kMostMachines = 65535;  // a MachineId has 16 bits, and one value means none
    if (machines_.size() > kMostMachines) complain("it has more than 65535 machines");
    if (problem_.empty()) return {};
    return Error{about(problem_)};
  }

 private:
  std::string about(const std::string& what) const { return fmt::format("scenario '{}': {}", scenario_.name, what); }

  void complain(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  void unique(const std::string& kind, const std::vector<std::string>& names) {
    std::set<std::string> seen;
    for (const auto& name : names) {
      if (name.empty()) complain(fmt::format("a {} has no name", kind));
      if (!seen.insert(name).second) complain(fmt::format("{} '{}' is declared twice", kind, name));
    }
  }

  void known_machine(const std::string& name, const std::string& subject) {
    if (machine_set_.count(name) == 0)
      complain(
          fmt::format("{} wants machine '{}', which is not declared{}", subject, name, did_you_mean(name, machines_)));
  }

  void check_machine(const MachineDescription& machine) {
    if (!(machine.speed > 0)) complain(fmt::format("machine '{}' must have a speed above 0", machine.name));
    if (machine.cores == 0) complain(fmt::format("machine '{}' must have at least one core", machine.name));
    if (!(machine.clock.drift_ppm > -1e6))
      complain(fmt::format("the clock of machine '{}' runs backwards", machine.name));
    if (machine.clock.tick.ns < 0) complain(fmt::format("the clock tick of machine '{}' is negative", machine.name));
  }

  void check_process(const ProcessDescription& process) {
    const std::string subject = fmt::format("process '{}'", process.name);
    if (!process.program) complain(subject + " has no program");
    known_machine(process.machine, subject);
    if (!process.filter.empty() && std::find(filters_.begin(), filters_.end(), process.filter) == filters_.end())
      complain(fmt::format("{} wants filter '{}', which is not declared{}", subject, process.filter,
                           did_you_mean(process.filter, filters_)));
    std::set<std::string> targets;
    for (const auto& target : process.links) {
      if (process_set_.count(target) == 0)
        complain(fmt::format("{} has a link to '{}', which is not a process{}", subject, target,
                             did_you_mean(target, processes_)));
      if (!targets.insert(target).second) complain(fmt::format("{} has two links to '{}'", subject, target));
    }
  }

  void check_fault(const Fault& fault) {
    if (fault.at.ns < 0) complain("a fault happens before the beginning");
    if (fault.kind == FaultKind::process_off || fault.kind == FaultKind::process_on) {
      if (process_set_.count(fault.process) == 0)
        complain(fmt::format("a fault is of '{}', which is not a process{}", fault.process,
                             did_you_mean(fault.process, processes_)));
      return;
    }
    known_machine(fault.machine, "a fault");
    if (fault.kind == FaultKind::machine_speed && !(fault.speed > 0))
      complain("a fault sets a speed that is not above 0");
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
