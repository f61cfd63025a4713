// How long the cgroups of sampled processes were held back because they had used up their CPU quota.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dpm::sampling {

class CpuQuotas {
 public:
  // The folder with the cpu.stat of the process's cgroup; "" if it has no quota.
  std::string folder_of(std::uint32_t pid);
  // Held back since the last call for this folder, summed over CPUs.
  std::uint64_t throttled_since_ns(const std::string& folder);

 private:
  std::map<std::string, std::uint64_t> throttled_ns_;
};

}  // namespace dpm::sampling
