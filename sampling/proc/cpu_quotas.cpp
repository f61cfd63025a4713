#include "sampling/proc/cpu_quotas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "os/read_file.hpp"

namespace dpm::sampling {
namespace {

constexpr std::uint64_t kNsPerUs = 1000;

bool has_quota(const std::string& folder) {
  const std::string limit = read_file(folder + "/cpu.max");  // version 2
  if (!limit.empty()) return !limit.starts_with("max");
  const std::string quota = read_file(folder + "/cpu.cfs_quota_us");  // version 1
  return !quota.empty() && !quota.starts_with("-");
}

// The cgroup or the nearest one above it that has a quota.
std::string nearest_quota(const std::string& mount, std::string path) {
  while (path.size() > 1) {
    if (has_quota(mount + path)) return mount + path;
    path.resize(path.rfind('/'));
  }
  return "";
}

// Whether the list of controllers "cpu,cpuacct" has cpu.
bool lists_cpu(const std::string& controllers) { return ("," + controllers + ",").find(",cpu,") != std::string::npos; }

std::uint64_t throttled_ns(const std::string& folder) {
  std::istringstream lines(read_file(folder + "/cpu.stat"));
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "throttled_usec") return value * kNsPerUs;
    if (name == "throttled_time") return value;
  }
  return 0;
}

}  // namespace

std::string CpuQuotas::folder_of(std::uint32_t pid) {
  std::istringstream lines(read_file(fmt::format("/proc/{}/cgroup", pid)));
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/a/b", or "0::/a/b" of version 2
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (!controllers.empty() && !lists_cpu(controllers)) continue;
    for (const std::string& mount :
         {std::string("/sys/fs/cgroup"), "/sys/fs/cgroup/" + controllers, std::string("/sys/fs/cgroup/cpu")})
      if (const std::string folder = nearest_quota(mount, path); !folder.empty()) return folder;
  }
  return "";
}

std::uint64_t CpuQuotas::throttled_since_ns(const std::string& folder) {
  const std::uint64_t now_ns = throttled_ns(folder);
  const auto [entry, is_new] = throttled_ns_.try_emplace(folder, now_ns);
  const std::uint64_t since_ns = now_ns - std::min(entry->second, now_ns);
  entry->second = now_ns;
  return is_new ? 0 : since_ns;
}

}  // namespace dpm::sampling
