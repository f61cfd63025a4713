// removeprocess, and removejob, which removes all processes of a job. A first command reports that a process is on an
// unreachable machine; a second one gives it up, whatever came between.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/reports.hpp"

namespace dpm::control {

class RemovalCommands {
 public:
  RemovalCommands(Machines& machines, Console& console, Computation& computation, Reports& reports)
      : machines_(machines), console_(console), computation_(computation), reports_(reports) {}

  Outcome remove_job(const std::string& name);
  Outcome remove_process(const std::string& job_name, const std::string& name);

 private:
  std::string why_not_removed(const std::vector<ProcessRecord*>& processes, const std::string& job_name,
                              const std::string& command);
  std::vector<bool> remove(const std::vector<ProcessRecord*>& all);
  std::vector<bool> remove_reachable(const std::vector<ProcessRecord*>& processes);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
};

}  // namespace dpm::control
