// filter, which creates or lists filters, and getlog, which fetches their logs.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/file_copies.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/log_fetch.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class FilterCommands {
 public:
  FilterCommands(Machines& machines, Console& console, Computation& computation, KnownMachines& known_machines,
                 FileCopies& copies, const MachineSets& sets)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        copies_(copies),
        fetch_(machines, console),
        sets_(sets) {}

  Outcome create(Words words);
  Outcome list();
  // Of a filter; with a machine, a log of this name that is kept there.
  Outcome get_log(const Words& words);

 private:
  Outcome get_log_of(FilterRecord& filter, const std::string& destination);
  Result<CreateFilter> request_for(const Words& words, const std::string& machine);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  KnownMachines& known_machines_;
  FileCopies& copies_;
  LogFetch fetch_;
  const MachineSets& sets_;
};

}  // namespace dpm::control
