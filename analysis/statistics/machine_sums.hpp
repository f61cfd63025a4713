// What SUMMARYs say of each machine, summed up (1988 paper V.B): load, memory, paging, disks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/bytes.hpp"
#include "model/event.hpp"
#include "model/machine_quantity.hpp"

namespace dpm {

// Of one quantity. A quantity that is counted has a rate in each SUMMARY: what was added, by the time that it covers.
struct QuantitySums {
  std::uint64_t count = 0;  // SUMMARYs
  std::uint64_t covered_ms = 0;
  double total = 0;  // of a counted quantity: all that was added; otherwise value x milliseconds
  double least = 0, most = 0;
  double last = 0;

  void add(const Event& event, bool is_counted);
  void add(const QuantitySums& later);
  // A second, of a counted quantity; otherwise over time. 0: nothing was covered.
  double mean(bool is_counted) const;
};

struct MachineSums {
  MachineId machine;
  std::array<QuantitySums, kMachineQuantities.size()> quantities{};  // by number

  const QuantitySums& operator[](MachineQuantity quantity) const {
    return quantities[static_cast<std::size_t>(quantity)];
  }
};

// By machine, those with a SUMMARY, in the order of their numbers.
class MachineSumsByMachine {
 public:
  void add(const Event& summary);
  const std::vector<MachineSums>& machines() const { return machines_; }

  void put(ByteWriter& out) const { out.put(machines_); }
  void take(ByteReader& in);

 private:
  MachineSums& of(MachineId machine);

  std::vector<MachineSums> machines_;
};

}  // namespace dpm
