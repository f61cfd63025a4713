#include "scheduling/placing/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "os/read_file.hpp"

namespace dpm {
namespace {

CpuSet cpus_in(const std::string& path) { return parse_cpu_set(read_file(path)).value_or(CpuSet{}); }

// The cache with the highest level that the CPU has.
CpuSet cache_mates(const std::string& cpu_folder) {
  CpuSet mates;
  int highest = 0;
  for (int index = 0; index < 16; ++index) {
    const std::string cache = fmt::format("{}/cache/index{}/", cpu_folder, index);
    const std::string text = read_file(cache + "level");
    int level = 0;
    std::from_chars(text.data(), text.data() + text.size(), level);
    if (level <= highest) continue;
    highest = level;
    mates = cpus_in(cache + "shared_cpu_list");
  }
  return mates.empty() ? cpus_in(cpu_folder + "/topology/package_cpus_list") : mates;
}

std::vector<CpuPlace> groups_by_cpu(const std::string& system, const std::string& kind, const CpuSet& usable) {
  std::vector<CpuPlace> places;
  CpuSet placed;
  for (const int cpu : usable) {
    if (placed.contains(cpu)) continue;
    const std::string folder = fmt::format("{}/cpu/cpu{}", system, cpu);
    CpuSet mates = kind == "cores" ? cpus_in(folder + "/topology/core_cpus_list") : cache_mates(folder);
    mates.insert(cpu);
    mates = common_to(mates, usable);
    places.push_back({fmt::format("{}{}", kind == "cores" ? "core" : "group", cpu), mates});
    placed.insert(mates.begin(), mates.end());
  }
  return places;
}

std::vector<CpuPlace> numa_nodes(const std::string& system, const CpuSet& usable) {
  std::vector<CpuPlace> places;
  for (const int node : cpus_in(system + "/node/online")) {
    const CpuSet cpus = common_to(cpus_in(fmt::format("{}/node/node{}/cpulist", system, node)), usable);
    if (!cpus.empty()) places.push_back({fmt::format("node{}", node), cpus});
  }
  return places;
}

}  // namespace

std::vector<std::string> place_kinds() { return {"cores", "core-groups", "nodes"}; }

CpuSet read_online(const std::string& system) { return cpus_in(system + "/cpu/online"); }

Result<std::vector<CpuPlace>> read_places(const std::string& system, const std::string& kind, const CpuSet& allowed) {
  const CpuSet online = read_online(system);
  if (online.empty()) return Error{"the kernel does not tell which cores there are: " + system + "/cpu/online"};
  const CpuSet usable = common_to(online, allowed);
  std::vector<CpuPlace> places = kind == "nodes" ? numa_nodes(system, usable) : groups_by_cpu(system, kind, usable);
  if (places.size() >= 2) return places;
  const std::string found = places.empty() ? "none" : "only " + places.front().name;
  return Error{fmt::format("there must be two {} to choose from, and there is {} (CPUs {} may be used; {} are online)",
                           kind, found, cpu_set_text(usable), cpu_set_text(online))};
}

}  // namespace dpm
