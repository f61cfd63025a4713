#include "answers/parallel/reading/process_shares.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace dpm {
namespace {

constexpr double kEven = 1.05;  // the largest part over an equal one, so that machines are not divided

// By process: the process that it is divided with.
std::vector<std::uint32_t> units_of(const TraceInfo& info) {
  std::vector<std::uint32_t> units(info.processes.size());
  for (std::uint32_t p = 0; p < units.size(); ++p) {
    const ProcessId group = info.processes[p].group;
    units[p] = group.value < units.size() ? group.value : p;
  }
  return units;
}

// By machine: its part. The largest machines first, each to the part that has least. Empty: the parts would not be even.
std::map<MachineId, std::uint32_t> divide_machines(const std::map<MachineId, std::uint64_t>& events,
                                                   std::uint32_t parts) {
  std::vector<std::pair<std::uint64_t, MachineId>> largest_first;
  std::uint64_t total = 0;
  for (const auto& [machine, weight] : events) {
    largest_first.emplace_back(weight, machine);
    total += weight;
  }
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<MachineId, std::uint32_t> part_of;
  std::vector<std::uint64_t> in_part(parts);
  for (const auto& [weight, machine] : largest_first) {
    const auto least = std::min_element(in_part.begin(), in_part.end());
    *least += weight;
    part_of[machine] = static_cast<std::uint32_t>(least - in_part.begin());
  }
  const auto most = static_cast<double>(*std::max_element(in_part.begin(), in_part.end()));
  if (most > kEven * static_cast<double>(total) / parts) part_of.clear();
  return part_of;
}

// In the order of machines: each part takes what is nearest to its share of what is left.
std::vector<std::uint32_t> divide_in_order(const TraceInfo& info, const std::vector<std::uint32_t>& units,
                                           const std::vector<std::uint64_t>& weight, std::uint32_t parts) {
  std::vector<std::uint32_t> order(units.size());
  std::uint64_t left = 0;
  for (std::uint32_t p = 0; p < order.size(); ++p) {
    order[p] = p;
    left += weight[p];
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(info.processes[a].machine, a) < std::tuple(info.processes[b].machine, b);
  });
  std::vector<std::uint32_t> part_of(units.size());
  std::uint32_t part = 0;
  std::uint64_t in_part = 0;
  for (const std::uint32_t p : order) {
    if (units[p] != p) continue;
    const std::uint64_t share = left / (parts - part);
    if (part + 1 < parts && in_part > 0 && in_part + weight[p] / 2 > share) {
      left -= in_part;
      in_part = 0;
      ++part;
    }
    part_of[p] = part;
    in_part += weight[p];
  }
  return part_of;
}

}  // namespace

std::vector<std::uint32_t> divide_processes(const TraceInfo& info, const std::vector<std::uint64_t>& records,
                                            std::uint32_t parts) {
  const auto units = units_of(info);
  std::vector<std::uint64_t> weight(units.size());
  std::map<MachineId, std::uint64_t> of_machines;
  for (std::uint32_t p = 0; p < units.size(); ++p) {
    const std::uint64_t events = p < records.size() ? records[p] : 0;
    weight[units[p]] += events;
    of_machines[info.processes[units[p]].machine] += events;
  }
  const auto part_of_machine = divide_machines(of_machines, parts);
  std::vector<std::uint32_t> part_of(units.size());
  if (part_of_machine.empty()) {
    part_of = divide_in_order(info, units, weight, parts);
  } else {
    for (std::uint32_t p = 0; p < units.size(); ++p) part_of[p] = part_of_machine.at(info.processes[units[p]].machine);
  }
  for (std::uint32_t p = 0; p < units.size(); ++p) part_of[p] = part_of[units[p]];
  return part_of;
}

}  // namespace dpm
