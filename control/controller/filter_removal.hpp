// endfilter, which ends a filter so that its log is complete, and removefilter, which forgets it.
#pragma once

#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

class FilterRemoval {
 public:
  FilterRemoval(Machines& machines, Console& console, Computation& computation)
      : machines_(machines), console_(console), computation_(computation) {}

  Outcome end(const std::string& name);
  Outcome remove(const std::string& name);

 private:
  Machines& machines_;
  Console& console_;
  Computation& computation_;
};

// "the log of filter 'f1' was not fetched: it stays on blue in PATH"; empty if the user has the whole log.
std::string unfetched_text(const FilterRecord& filter);

}  // namespace dpm::control
