// endfilter, which ends a filter so that its log is complete, and removefilter, which forgets it. A first removefilter
// reports that the filter's machine is unreachable; a second one gives the filter up.
#pragma once

#include <string>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"

namespace dpm::control {

class FilterRemoval {
 public:
  FilterRemoval(Machines& machines, Console& console, Computation& computation, Reports& reports)
      : machines_(machines), console_(console), computation_(computation), reports_(reports) {}

  Outcome end(const std::string& name);
  Outcome remove(const std::string& name);

 private:
  std::string try_to_reach(const FilterRecord& filter);
  std::string how_removed(const FilterRecord& filter);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
};

// "the log of filter 'f1' was not fetched: it stays on blue in PATH"; empty if the user has the whole log.
std::string unfetched_text(const FilterRecord& filter);

}  // namespace dpm::control
