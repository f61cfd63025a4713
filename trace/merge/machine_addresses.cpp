#include "trace/merge/machine_addresses.hpp"

#include <algorithm>

namespace dpm {

bool has_address(const MachineInfo& machine, const std::string& address) {
  return std::find(machine.addresses.begin(), machine.addresses.end(), address) != machine.addresses.end();
}

std::vector<MachineId> machines_at(const TraceInfo& info, const std::string& address) {
  std::vector<MachineId> found;
  for (std::size_t m = 0; m < info.machines.size(); ++m)
    if (has_address(info.machines[m], address)) found.push_back(MachineId{static_cast<std::uint16_t>(m)});
  return found;
}

std::string host_key(const TraceInfo& info, MachineId machine) {
  if (machine.is_none()) return "";
  return info[machine].host.empty() ? std::to_string(machine.value) : info[machine].host;
}

}  // namespace dpm
