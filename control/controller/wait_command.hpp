// wait: until the processes of a job, or of all jobs, have ended or stopped, or a time has passed.
#pragma once

#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"

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
