// filter, which creates or lists filters, and getlog, which fetches their logs.
#pragma once

#include <string>
#include <vector>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/file_copies.hpp"
#include "backends/linux/remote/controller/known_machines.hpp"
#include "backends/linux/remote/controller/log_fetch.hpp"
#include "backends/linux/remote/controller/machine_sets.hpp"
#include "backends/linux/remote/controller/machines.hpp"

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
  Outcome get_log(const std::string& name, const std::string& destination);

 private:
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
