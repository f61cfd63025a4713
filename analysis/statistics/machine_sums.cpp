#include "analysis/statistics/machine_sums.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr double kMsPerSecond = 1000;

}  // namespace

void QuantitySums::add(const Event& event, bool is_counted) {
  const auto value = static_cast<double>(event.sequence);
  const auto covered = static_cast<double>(event.length_bytes);
  const double shown = !is_counted ? value : covered > 0 ? value / covered * kMsPerSecond : 0;
  least = count == 0 ? shown : std::min(least, shown);
  most = std::max(most, shown);
  last = shown;
  total += is_counted ? value : value * covered;
  covered_ms += event.length_bytes;
  ++count;
}

void QuantitySums::add(const QuantitySums& later) {
  if (later.count == 0) return;
  least = count == 0 ? later.least : std::min(least, later.least);
  most = std::max(most, later.most);
  last = later.last;
  total += later.total;
  covered_ms += later.covered_ms;
  count += later.count;
}

double QuantitySums::mean(bool is_counted) const {
  if (covered_ms == 0) return is_counted ? 0 : last;
  return total / static_cast<double>(covered_ms) * (is_counted ? kMsPerSecond : 1);
}

MachineSums& MachineSumsByMachine::of(MachineId machine) {
  const auto at = std::lower_bound(machines_.begin(), machines_.end(), machine,
                                   [](const MachineSums& sums, MachineId wanted) { return sums.machine < wanted; });
  if (at != machines_.end() && at->machine == machine) return *at;
  return *machines_.insert(at, {machine, {}});
}

void MachineSumsByMachine::add(const Event& summary) {
  const MachineQuantityKind* kind = quantity_of(summary);
  if (kind == nullptr) return;
  of(summary.machine).quantities[summary.code].add(summary, kind->is_counted);
}

void MachineSumsByMachine::take(ByteReader& in) {
  std::vector<MachineSums> there;
  in.get(there);
  for (const MachineSums& machine : there)
    for (std::size_t number = 0; number < machine.quantities.size(); ++number)
      of(machine.machine).quantities[number].add(machine.quantities[number]);
}

}  // namespace dpm
