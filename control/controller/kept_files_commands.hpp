// files, which lists what DPM keeps on the disks of machines, and removefiles, which removes it.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class KeptFilesCommands {
 public:
  KeptFilesCommands(Machines& machines, Console& console, const Computation& computation,
                    const KnownMachines& known_machines, const MachineSets& sets)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        sets_(sets) {}

  Outcome list(const Words& machines);
  Outcome remove(const Words& words);

 private:
  Outcome remove_on(const std::string& machine, const Result<KeptFiles>& kept, const Words& words);
  std::vector<std::string> used_machines() const;
  std::string remark_on(const std::string& machine, const KeptFile& file) const;

  Machines& machines_;
  Console& console_;
  const Computation& computation_;
  const KnownMachines& known_machines_;
  const MachineSets& sets_;
};

}  // namespace dpm::control
