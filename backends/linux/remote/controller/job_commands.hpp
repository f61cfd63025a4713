// The commands for a whole job: newjob, setflags, startjob, stopjob, jobs.
#pragma once

#include <string>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/machines.hpp"

namespace dpm::control {

class JobCommands {
 public:
  JobCommands(Machines& machines, Console& console, Computation& computation)
      : machines_(machines), console_(console), computation_(computation) {}

  Outcome create(const Words& words);
  Outcome set_flags(const Words& words);
  Outcome start(const std::string& name);
  Outcome stop(const std::string& name);
  Outcome list(const Words& words);

 private:
  Outcome list_processes(const std::string& name);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
};

}  // namespace dpm::control
