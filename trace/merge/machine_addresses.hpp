// Which machine an address belongs to, by what the machines' meters reported of their interfaces.
#pragma once

#include <string>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

bool has_address(const MachineInfo& machine, const std::string& address);

// The machines that have this address: usually one; several where private networks use the same addresses.
std::vector<MachineId> machines_at(const TraceInfo& info, const std::string& address);

// A key of the host: the same for machines that are one host, different for all others.
std::string host_key(const TraceInfo& info, MachineId machine);

}  // namespace dpm
