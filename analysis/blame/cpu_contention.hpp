// When the CPUs of a machine were wanted by more processes than they can serve.
//
// Between two events of a process the trace has how long it queued for a CPU, but not when. It queued while others wanted the same
// CPU: of k processes on c cores, each lacks the share 1 - c/k of the time. What programs outside the trace want is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

class CpuContention {
 public:
  // A process wanted a CPU of the machine for `wanted_ns` of this time; it is not known when.
  void add(MachineId machine, std::int64_t from_ns, std::int64_t to_ns, std::int64_t wanted_ns);
  // Called once, after all add().
  void settle(MachineId machine, std::uint16_t cores);

  // The time that one process which always wants a CPU lacks it, from the beginning of the machine until then.
  double lacked_until_ns(MachineId machine, std::int64_t at_ns) const;

 private:
  struct Step {
    std::int64_t at_ns = 0;
    std::int64_t wanting = 0;  // the change in the number of processes, and then the number; in parts of kWhole
    double lacked_ns = 0;      // until `at_ns`
    double lacks = 0;          // the share of the time from `at_ns` on
  };
  std::vector<std::vector<Step>> steps_;  // by machine
};

}  // namespace dpm
