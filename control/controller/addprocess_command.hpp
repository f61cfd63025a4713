// addprocess: creates a process on each of the machines that a word names, on all of them at the same time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/file_copies.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class AddprocessCommand {
 public:
  AddprocessCommand(Machines& machines, Console& console, Computation& computation, KnownMachines& known_machines,
                    FileCopies& copies, const MachineSets& sets)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        copies_(copies),
        sets_(sets) {}

  Outcome perform(const Words& words, const std::optional<std::string>& input);

 private:
  // A process that is to be created, or why it is not.
  struct Planned {
    std::string machine, name;
    Result<CreateProcess> request;
  };
  // `once`: the machines without repetitions.
  std::vector<Planned> plan(const Words& words, const std::optional<std::string>& input,
                            const std::vector<std::string>& machines, std::vector<std::string> once, const Job& job,
                            const FilterRecord& filter);
  Outcome create(Job& job, FilterRecord& filter, std::vector<Planned> planned);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  KnownMachines& known_machines_;
  FileCopies& copies_;
  const MachineSets& sets_;
};

}  // namespace dpm::control
