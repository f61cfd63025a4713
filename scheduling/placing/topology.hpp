// The cores of this machine as places, from /sys/devices/system.
//
//   cores         a core, with its hardware threads            core0, core1: the number is that of its first CPU
//   core-groups   the cores that share the last-level cache    group0, group4
//   nodes         NUMA nodes                                   node0, node1
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"
#include "scheduling/placing/cpu_set.hpp"

namespace dpm {

struct CpuPlace {
  std::string name;
  CpuSet cpus;
};

std::vector<std::string> place_kinds();

// Of the CPUs that are online and in `allowed`. `system` is /sys/devices/system. Refuses fewer than two places.
Result<std::vector<CpuPlace>> read_places(const std::string& system, const std::string& kind, const CpuSet& allowed);

// Empty if the kernel does not tell.
CpuSet read_online(const std::string& system);

}  // namespace dpm
