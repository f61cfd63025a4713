// This machine's name, addresses and cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

std::string machine_name();
std::uint16_t machine_cores();  // that this process may use

// The IPv4 and IPv6 addresses of all interfaces that are up, in the kernel's order, each once, without loopback addresses.
// Empty if the kernel does not tell.
std::vector<std::string> machine_addresses();

// Those with which other machines can reach this one: not link-local IPv6 addresses (fe80::), which need an interface of
// the machine that uses them.
std::vector<std::string> addresses_for_others(std::vector<std::string> addresses);

// The number of this boot of the kernel. Empty if the kernel does not tell.
std::string boot_identity();

// MachineInfo::host: the number of this boot and of the calling process's network. Empty if the kernel does not tell.
std::string host_identity();

// This machine as a trace describes it. `name`: as its user calls it; empty: machine_name().
MachineInfo this_machine(const std::string& name);

}  // namespace dpm
