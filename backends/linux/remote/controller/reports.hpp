// Shows what machines report: changed states, output of processes, machines that are lost and found.
#pragma once

#include <string>
#include <vector>

#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/machines.hpp"

namespace dpm::control {

class Reports {
 public:
  Reports(Machines& machines, Console& console, Computation& computation)
      : machines_(machines), console_(console), computation_(computation) {}

  // Output without a newline waits for flush().
  void show();
  void flush();
  bool has_output_waiting() const;

 private:
  void take(const std::string& machine, const StateChanged& report);
  void take(const std::string& machine, const Output& report);
  void take(const std::string& machine, const FilterEnded& report);
  void take(const std::string& machine, const MachineLost& report);
  void take(const std::string& machine, const MachineFound& report);
  void show_end(const Job& job, ProcessRecord& process, const std::string& reason);
  void show_output(const Job& job, const ProcessRecord& process, const std::vector<std::string>& lines);

  Machines& machines_;
  Console& console_;
  Computation& computation_;
};

}  // namespace dpm::control
