#include "scheduling/policies/interface/system_view.hpp"

namespace dpm {

std::vector<MachineId> SystemView::usable_machines() const {
  std::vector<MachineId> usable;
  for (std::size_t m = 0; m < machines.size(); ++m)
    if (machines[m].accepts) usable.push_back({static_cast<std::uint16_t>(m)});
  return usable;
}

}  // namespace dpm
