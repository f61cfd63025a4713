// When a process used no CPU time although nothing kept it from going on: it slept. And when it waited for a message and
// took none: it gave up.
//
//   SEND ......... RECEIVECALL ---- RECEIVE          slept before the call; what it waited for came
//   SEND ......... RECEIVECALL ----- SEND            slept; gave up, and went on
//
// A sleep leaves no event. It is the time between two events of a process, without the CPU time in between. A process that
// waits for the CPU looks the same, so a time counts as a sleep only if the others of its machine used hardly any.
#pragma once

#include <cstdint>
#include <vector>

#include "model/event.hpp"
#include "twin/recording.hpp"

namespace dpm::twin {

class IdleTimes {
 public:
  // `shortest`: what is shorter shows nothing.
  explicit IdleTimes(std::int64_t shortest_ns) : shortest_ns_(shortest_ns) {}

  // Events of each process in its order. `operations` is how many it has had so far.
  void add(const Event& event, std::uint64_t used_ns, std::size_t operations);
  // Writes what was found into the operations; to be called when all events have come.
  void write_into(Recording& recording) const;

 private:
  struct Process {
    std::int64_t since_ns = 0;  // its last event
    std::uint64_t since_cpu_ns = 0;
    bool is_known = false;  // since when
    bool in_call = false;
  };
  // Between two events of a process.
  struct Interval {
    std::uint32_t process = 0, operation = 0;  // the operation that followed
    MachineId machine;
    bool gave_up = false;
    std::int64_t begin_ns = 0, end_ns = 0, idle_ns = 0;
  };
  struct Work {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t cpu_ns = 0;
  };

  void note(const Event& event, std::uint64_t used_ns, const Process& process, std::size_t operations);

  std::int64_t shortest_ns_;
  std::vector<Process> processes_;
  std::vector<Interval> intervals_;
  std::vector<std::vector<Work>> work_;  // by machine
};

}  // namespace dpm::twin
