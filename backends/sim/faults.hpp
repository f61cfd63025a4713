// What the scenario breaks, and mends: machines that are turned off and on, links that are down for a time.
#pragma once

#include "backends/sim/machine.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

class Simulation;

class Faults {
 public:
  explicit Faults(Simulation& simulation) : simulation_(simulation) {}

  // Enters the faults of the scenario into the calendar.
  void schedule();

 private:
  void apply(const Fault& fault);
  void turn_off(Machine& machine);
  void turn_on(Machine& machine);

  Simulation& simulation_;
};

}  // namespace dpm::sim
