#include "parallel/reading/process_shares.hpp"

#include <algorithm>
#include <tuple>

namespace dpm {

std::vector<std::uint32_t> divide_processes(const TraceInfo& info, const std::vector<std::uint64_t>& records,
                                            std::uint32_t parts) {
  const auto processes = static_cast<std::uint32_t>(info.processes.size());
  const auto unit_of = [&](std::uint32_t process) {
    const ProcessId group = info.processes[process].group;
    return group.value < processes ? group.value : process;
  };
  std::vector<std::uint64_t> weight(processes);
  std::uint64_t total = 0;
  for (std::uint32_t p = 0; p < processes; ++p) {
    const std::uint64_t events = p < records.size() ? records[p] : 0;
    weight[unit_of(p)] += events;
    total += events;
  }
  std::vector<std::uint32_t> order(processes);
  for (std::uint32_t p = 0; p < processes; ++p) order[p] = p;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(info.processes[a].machine, a) < std::tuple(info.processes[b].machine, b);
  });
  // Each part takes what is nearest to its share of what is left.
  std::vector<std::uint32_t> part_of(processes);
  std::uint32_t part = 0;
  std::uint64_t in_part = 0, left = total;
  for (const std::uint32_t p : order) {
    if (unit_of(p) != p) continue;
    const std::uint64_t share = left / (parts - part);
    if (part + 1 < parts && in_part > 0 && in_part + weight[p] / 2 > share) {
      left -= in_part;
      in_part = 0;
      ++part;
    }
    part_of[p] = part;
    in_part += weight[p];
  }
  for (std::uint32_t p = 0; p < processes; ++p) part_of[p] = part_of[unit_of(p)];
  return part_of;
}

}  // namespace dpm
