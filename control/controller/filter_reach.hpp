// Which address and key of a filter the meters of a machine use, and which machines cannot reach it at all.
#pragma once

#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

// For processes of `job` on `machine`. An error if the filter has only addresses of its own host (it was created where no
// network is up, or by a controller whose machines were all one host), or if the machine has another one's name.
Result<FilterAddress> address_for(const std::string& machine, const std::string& job, const FilterRecord& filter,
                                  const Machines& machines);

}  // namespace dpm::control
