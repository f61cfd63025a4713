// What this machine is called and where it can be reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

std::string machine_name();
std::uint16_t machine_cores();  // that this process may use

// Of all interfaces that are up, IPv4 and IPv6, in the order of the kernel and each once; without those that lead back
// to the machine itself, which every machine has. Empty if the kernel does not say.
std::vector<std::string> machine_addresses();

// Those of them that lead here from another machine. IPv6 addresses of one link (fe80::) mean something only together
// with an interface of whoever uses them.
std::vector<std::string> addresses_for_others(std::vector<std::string> addresses);

// MachineInfo::host: the number of this boot and of the calling process's network. Empty if the kernel does not say.
std::string host_identity();

}  // namespace dpm
