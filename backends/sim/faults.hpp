// What the scenario breaks, and mends: machines that are turned off and on, links that are down for a time, processes that
// end and begin again.
//
// A process that begins again has lost all that it knew: variables, its queue, calls that it waits for. Its links, its CPU
// time and the numbers of its messages go on, so that a trace shows one process.
#pragma once

#include <vector>

#include "backends/sim/process.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

class Simulation;

class Faults {
 public:
  explicit Faults(Simulation& simulation) : simulation_(simulation) {}

  // Enters the faults of the scenario into the calendar.
  void schedule();

  // Whether a fault to come restarts a process that is lost now, in this way.
  bool will_restart(const Process& process, Life how) const;
  // Processes that are off and will begin again.
  bool any_will_restart() const { return away_ > 0; }

 private:
  void apply(const Fault& fault);
  void set_speed(Machine& machine, double speed);
  void turn_off(Machine& machine);
  void turn_on(Machine& machine, bool restart_processes);
  void turn_off(Process& process);
  void restart(Process& process);

  Simulation& simulation_;
  std::vector<bool> is_over_;  // by fault
  std::uint64_t away_ = 0;
};

}  // namespace dpm::sim
