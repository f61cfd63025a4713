// adopt: takes over the processes and filters that a controller left on machines, because it was killed or on purpose.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class AdoptCommand {
 public:
  AdoptCommand(Machines& machines, Console& console, Computation& computation, KnownMachines& known_machines,
               const MachineSets& sets)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        sets_(sets) {}

  // On the named machines, or on all known machines.
  Outcome perform(const Words& words);

 private:
  struct Left {
    std::string machine;
    ManagedProcess managed;
  };
  std::vector<Left> left_on(const std::vector<std::string>& machines, Outcome& outcome);
  std::string free_filter_name(const std::string& name) const;
  const FilterRecord& filter_of(const ManagedProcess& managed);
  void adopt_filter(const Left& left);
  Job& job_to_adopt_into(const ManagedProcess& managed);
  void adopt_process(const Left& left);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  KnownMachines& known_machines_;
  const MachineSets& sets_;
};

}  // namespace dpm::control
