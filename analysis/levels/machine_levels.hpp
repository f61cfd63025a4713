// What SUMMARYs say of each machine over time, in bounded memory: each is an interval of the machine's clock, in which it holds.
//
//     load   0.2            0.9        .    0.4
//          |______________|__________|....|______
//            from       to            no SUMMARY: nothing is known
//
// Of a quantity that is counted it holds a rate, a second. With too many intervals, neighbours are joined, each with its
// weight, the oldest being joined most often.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/levels/machine_offsets.hpp"
#include "model/event.hpp"
#include "model/machine_quantity.hpp"

namespace dpm {

// What can be drawn of a machine, in its order.
enum class MachineSeries : std::uint8_t { load, memory, swap, faults, swapped, disk_read, disk_written, disk_busy };
struct MachineSeriesName {
  MachineSeries series;
  std::string_view name;
};
inline constexpr std::array kMachineSeries = {
    MachineSeriesName{MachineSeries::load, "load"},
    MachineSeriesName{MachineSeries::memory, "memory"},              // used, bytes
    MachineSeriesName{MachineSeries::swap, "swap"},                  // used, bytes
    MachineSeriesName{MachineSeries::faults, "faults"},              // pages read from a disk, a second
    MachineSeriesName{MachineSeries::swapped, "swapped"},            // in and out, bytes a second
    MachineSeriesName{MachineSeries::disk_read, "disk_read"},        // bytes a second
    MachineSeriesName{MachineSeries::disk_written, "disk_written"},  // bytes a second
    MachineSeriesName{MachineSeries::disk_busy, "disk_busy"},        // disks that were busy, on average
};

class MachineLevels {
 public:
  static constexpr std::size_t kIntervalsMost = 8192;  // of a machine: 0.5 MB

  void add(const Event& summary);

  bool has(MachineId machine) const { return machine.value < machines_.size() && !machines_[machine.value].empty(); }
  // The mean between neighbouring edges, which increase; NaN where nothing is known.
  std::vector<double> of(MachineId machine, MachineSeries series, std::span<const RunTime> edges,
                         const MachineOffsets& offsets) const;

 private:
  struct Interval {
    LocalTime from, to;
    std::array<float, kMachineQuantities.size()> values{};  // NaN: not known
  };
  using Intervals = std::vector<Interval>;

  static double value_of(const Interval& interval, MachineSeries series);
  static void join_neighbours(Intervals& intervals);

  std::vector<Intervals> machines_;  // by number
};

}  // namespace dpm
