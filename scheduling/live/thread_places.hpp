// Where threads run that no scheduler has bound: at each look the place of each, and of all looks since forget() the most frequent.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

class ThreadPlaces {
 public:
  // More looks than this count half, so that a thread that has changed its place is there soon.
  static constexpr std::uint32_t kLooksMost = 40;

  void saw(ProcessId thread, MachineId place);
  MachineId of(ProcessId thread) const;  // none: never seen
  void forget() { threads_.clear(); }

 private:
  std::vector<std::vector<std::uint32_t>> threads_;  // looks by place
};

}  // namespace dpm
