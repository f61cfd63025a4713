#include "analysis/history/sleeps.hpp"

#include <algorithm>

namespace dpm {
namespace {

// Whether more processes than it has cores used CPU time, by machine.
std::vector<bool> shared_machines(const History& history) {
  std::vector<std::size_t> processes(history.info.machines.size());
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const MachineId machine = history.info.processes[p].machine;
    const auto events = history.of(ProcessId{p});
    const bool works = std::any_of(events.begin(), events.end(), [](const auto& event) { return event.cpu_ns > 0; });
    if (works && machine.value < processes.size()) ++processes[machine.value];
  }
  std::vector<bool> shared;
  for (std::size_t m = 0; m < processes.size(); ++m) shared.push_back(processes[m] > history.info.machines[m].cores);
  return shared;
}

}  // namespace

Sleeps find_sleeps(const History& history) {
  Sleeps sleeps;
  if (!history.receive_calls_metered) return sleeps;
  const std::vector<bool> shared = shared_machines(history);
  for (const Pause& pause : history.pauses) {
    const ProcessId process = history.owner_of(pause.event);
    const MachineId machine = history.info[process].machine;
    if (machine.value >= shared.size() || shared[machine.value]) continue;
    sleeps.before_ns.emplace(pause.event, static_cast<std::int64_t>(pause.ns));
    sleeps.processes.push_back(process.value);
    sleeps.total_ns += static_cast<std::int64_t>(pause.ns);
  }
  std::sort(sleeps.processes.begin(), sleeps.processes.end());
  sleeps.processes.erase(std::unique(sleeps.processes.begin(), sleeps.processes.end()), sleeps.processes.end());
  return sleeps;
}

}  // namespace dpm
