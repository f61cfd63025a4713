// The commands for a single process: addprocess, acquire, input, endinput.
#pragma once

#include <optional>
#include <string>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/file_copies.hpp"
#include "backends/linux/remote/controller/known_machines.hpp"
#include "backends/linux/remote/controller/machines.hpp"

namespace dpm::control {

class ProcessCommands {
 public:
  ProcessCommands(Machines& machines, Console& console, Computation& computation, KnownMachines& known_machines,
                  FileCopies& copies)
      : machines_(machines),
        console_(console),
        computation_(computation),
        known_machines_(known_machines),
        copies_(copies) {}

  Outcome add(const Words& words, const std::optional<std::string>& input);
  Outcome acquire(const Words& words);
  Outcome send_input(const Words& words, bool is_end);

 private:
  Machines& machines_;
  Console& console_;
  Computation& computation_;
  KnownMachines& known_machines_;
  FileCopies& copies_;
};

}  // namespace dpm::control
