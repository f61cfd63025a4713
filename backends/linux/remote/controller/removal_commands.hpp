// removeprocess, and removejob, which removes all processes of a job. What is on a machine that cannot be reached is given
// up only when the same command comes twice in a row.
#pragma once

#include <string>
#include <vector>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/reports.hpp"

namespace dpm::control {

class RemovalCommands {
 public:
  RemovalCommands(Machines& machines, Console& console, Computation& computation, Reports& reports)
      : machines_(machines), console_(console), computation_(computation), reports_(reports) {}

  Outcome remove_job(const std::string& name);
  Outcome remove_process(const std::string& job_name, const std::string& name);
  // Another command came: the next removal is the first again.
  void forget_warning() { warned_of_.clear(); }

 private:
  std::string why_not_removed(const std::vector<ProcessRecord*>& processes, const std::string& job_name,
                              const std::string& command);
  std::vector<bool> remove(const std::vector<ProcessRecord*>& all);
  std::vector<bool> remove_reachable(const std::vector<ProcessRecord*>& processes);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
  Reports& reports_;
  std::string warned_of_;
};

}  // namespace dpm::control
