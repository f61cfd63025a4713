#include "scenarios/native/pinning.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <set>
#include <vector>

namespace dpm::native {
namespace {

Result<std::vector<int>> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return Error::from_errno("find out which cores there are");
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

}  // namespace

Result<std::map<std::string, int>> cores_of_machines(const Scenario& scenario) {
  const auto cores = usable_cores();
  if (!cores) return cores.error();
  std::set<std::string> used;
  for (const auto& process : scenario.processes) used.insert(process.machine);
  if (used.size() > cores->size())
    return Error{
        fmt::format("a core for each machine: the processes are on {} machines, and there are {} cores; choose a "
                    "placement on fewer machines, or let all processes share all cores",
                    used.size(), cores->size())};
  std::map<std::string, int> core_of;
  for (const auto& machine : scenario.machines)
    if (used.count(machine.name) != 0) core_of.emplace(machine.name, cores->at(core_of.size()));
  for (const auto& machine : scenario.machines)
    if (core_of.size() < cores->size() && used.count(machine.name) == 0)
      core_of.emplace(machine.name, cores->at(core_of.size()));
  return core_of;
}

Result<void> stay_on_core(int core, pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (::sched_setaffinity(process, sizeof set, &set) != 0)
    return Error::from_errno("stay on core " + std::to_string(core));
  return {};
}

}  // namespace dpm::native
