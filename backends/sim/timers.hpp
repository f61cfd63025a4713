// Which processes go on at a time to come: those that sleep, and those that wait until a deadline.
#pragma once

#include <cstdint>

#include "backends/sim/process.hpp"

namespace dpm::sim {

class Simulation;

class Timers {
 public:
  explicit Timers(Simulation& simulation) : simulation_(simulation) {}

  // Wakes the process then, unless its timer is cleared before. A message that arrives at that very moment comes first.
  void set(Process& process, TrueTime at);
  void clear(Process& process);
  bool any_is_set() const { return set_ > 0; }

 private:
  Simulation& simulation_;
  std::uint64_t last_number_ = 0;
  std::uint64_t set_ = 0;
};

}  // namespace dpm::sim
