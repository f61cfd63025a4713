// How the controller ends: by die, which warns once while processes are active, or at the end of a script.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"
#include "control/controller/watch_command.hpp"

namespace dpm::control {

class Leaving {
 public:
  Leaving(Machines& machines, Console& console, Computation& computation, Reports& reports, WatchCommand& watch)
      : machines_(machines), console_(console), computation_(computation), reports_(reports), watch_(watch) {}

  Outcome die();
  // Always leaves, and fails if processes are active.
  Outcome end_of_script(const std::string& where);
  // Call it at every other command: the next die warns again.
  void forget_warning() { has_warned_ = false; }

 private:
  std::vector<std::string> active_processes() const;
  Outcome end();
  void end_filters(const std::vector<FilterRecord*>& filters);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
  WatchCommand& watch_;
  bool has_warned_ = false;
};

}  // namespace dpm::control
