// wait: until the processes of a job, or of all jobs, have ended or stopped, or a time has passed.
#pragma once

#include <string>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/reports.hpp"

namespace dpm::control {

class WaitCommand {
 public:
  WaitCommand(Machines& machines, Console& console, Computation& computation, Reports& reports)
      : machines_(machines), console_(console), computation_(computation), reports_(reports) {}

  Outcome perform(const Words& words);

 private:
  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
};

}  // namespace dpm::control
