// The commands for a single process: acquire, input, endinput.
#pragma once

#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class ProcessCommands {
 public:
  ProcessCommands(Machines& machines, Console& console, Computation& computation, KnownMachines& known_machines,
                  const MachineSets& sets)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        sets_(sets) {}

  Outcome acquire(const Words& words);
  Outcome send_input(const Words& words, bool is_end);

 private:
  Machines& machines_;
  Console& console_;
  Computation& computation_;
  KnownMachines& known_machines_;
  const MachineSets& sets_;
};

}  // namespace dpm::control
