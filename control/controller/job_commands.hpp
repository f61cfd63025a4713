// The commands for a whole job: newjob, setflags, startjob, stopjob, jobs.
#pragma once

#include <string>
#include <utility>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/predicted_places.hpp"

namespace dpm::control {

class JobCommands {
 public:
  JobCommands(Machines& machines, Console& console, Computation& computation, LoadPlacement load_placement)
      : machines_(machines), console_(console), computation_(computation), load_placement_(std::move(load_placement)) {}

  Outcome create(const Words& words);
  Outcome set_flags(const Words& words);
  Outcome start(const Words& words);
  Outcome stop(const std::string& name);
  Outcome list(const Words& words);

 private:
  Outcome list_processes(const std::string& name);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  LoadPlacement load_placement_;
};

}  // namespace dpm::control
