#include "analysis/levels/machine_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpm {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kNsPerSecond = 1e9;

}  // namespace

void MachineLevels::add(const Event& summary) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const MachineQuantityKind* kind = quantity_of(summary);
  if (kind == nullptr || summary.machine.is_none()) return;
  if (summary.machine.value >= machines_.size()) machines_.resize(summary.machine.value + 1u);
  Intervals& intervals = machines_[summary.machine.value];
  if (intervals.empty() || intervals.back().to < summary.local_time) {
    if (intervals.size() >= kIntervalsMost) join_neighbours(intervals);
    Interval next;
    next.to = summary.local_time;
    next.from = {summary.local_time.ns - summary.length_bytes * kNsPerMs};
    if (!intervals.empty()) next.from = std::max(next.from, intervals.back().to);
    next.values.fill(std::numeric_limits<float>::quiet_NaN());
    intervals.push_back(next);
  }
  const auto value = static_cast<double>(summary.sequence);
  const double covered_s = static_cast<double>(summary.length_bytes) * 1e-3;
  const double shown = !kind->is_counted ? value : covered_s > 0 ? value / covered_s : 0;
  intervals.back().values[summary.code] = static_cast<float>(shown);
}

// The older half, so that what is new stays as fine as it is.
void MachineLevels::join_neighbours(Intervals& intervals) {
  const std::size_t half = intervals.size() / 4 * 2;
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < half; i += 2) {
    const Interval &first = intervals[i], &second = intervals[i + 1];
    Interval joined{first.from, second.to, {}};
    const auto first_ns = static_cast<double>(first.to.ns - first.from.ns),
               second_ns = static_cast<double>(second.to.ns - second.from.ns);
    for (std::size_t q = 0; q < joined.values.size(); ++q) {
      const double a = first.values[q], b = second.values[q];
      const double sum_ns = first_ns + second_ns;
      const double mean = sum_ns > 0 ? (a * first_ns + b * second_ns) / sum_ns : b;
      joined.values[q] = static_cast<float>(std::isnan(a) ? b : std::isnan(b) ? a : mean);
    }
    intervals[kept++] = joined;
  }
  intervals.erase(intervals.begin() + static_cast<std::ptrdiff_t>(kept),
                  intervals.begin() + static_cast<std::ptrdiff_t>(half));
}

double MachineLevels::value_of(const Interval& interval, MachineSeries series) {
  const auto value = [&](MachineQuantity quantity) -> double {
    return interval.values[static_cast<std::size_t>(quantity)];
  };
  switch (series) {
    case MachineSeries::load:
      return value(MachineQuantity::load) / kLoadUnit;
    case MachineSeries::memory:
      return value(MachineQuantity::memory_bytes) - value(MachineQuantity::available_bytes);
    case MachineSeries::swap:
      return value(MachineQuantity::swap_used_bytes);
    case MachineSeries::faults:
      return value(MachineQuantity::major_faults);
    case MachineSeries::swapped:
      return value(MachineQuantity::swapped_in_bytes) + value(MachineQuantity::swapped_out_bytes);
    case MachineSeries::disk_read:
      return value(MachineQuantity::disk_read_bytes);
    case MachineSeries::disk_written:
      return value(MachineQuantity::disk_written_bytes);
    case MachineSeries::disk_busy:
      return value(MachineQuantity::disk_busy_ns) / kNsPerSecond;
  }
  return kNothing;
}

std::vector<double> MachineLevels::of(MachineId machine, MachineSeries series, std::span<const RunTime> edges,
                                      const MachineOffsets& offsets) const {
  std::vector<double> means(edges.empty() ? 0 : edges.size() - 1, kNothing);
  if (!has(machine)) return means;
  const Intervals& intervals = machines_[machine.value];
  for (std::size_t bin = 0; bin < means.size(); ++bin) {
    const LocalTime from = offsets.local_time(machine, edges[bin]), to = offsets.local_time(machine, edges[bin + 1]);
    double sum = 0, known_ns = 0;
    auto at = std::upper_bound(intervals.begin(), intervals.end(), from,
                               [](LocalTime time, const Interval& interval) { return time < interval.to; });
    for (; at != intervals.end() && at->from < to; ++at) {
      const auto overlap_ns = static_cast<double>(std::min(at->to, to).ns - std::max(at->from, from).ns);
      const double value = value_of(*at, series);
      if (overlap_ns <= 0 || std::isnan(value)) continue;
      sum += value * overlap_ns;
      known_ns += overlap_ns;
    }
    if (known_ns > 0) means[bin] = sum / known_ns;
  }
  return means;
}

}  // namespace dpm
