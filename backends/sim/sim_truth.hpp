// What really happened in a simulation: meter and analyses are measured by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/sim/true_time.hpp"
#include "model/program.hpp"

namespace dpm {

struct ProcessTruth {
  std::string name;
  std::string machine;  // where it was last
  bool in_computation = true;
  // "ended", "destroyed by 'x'", "lost with machine 'red'", "waits for a message", "computes", ...
  std::string final_state;
  std::uint64_t cpu_time_ns = 0;
  std::uint64_t ready_time_ns = 0;  // able to compute while others did
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  // Messages that had arrived and were not yet received; the area is the time integral of that number, in message
  // nanoseconds, and the mean is the area over the process's life (from its start to its end or the end of the run).
  std::uint64_t queue_max = 0;
  double queue_area_ns = 0;
  double queue_mean = 0;
  TrueTime started;
  TrueTime last_activity;  // its last call or end of computing
};

struct MachineTruth {
  std::string name;
  std::uint64_t cpu_time_ns = 0;  // of the scenario's processes, wherever they went later
};

struct SimTruth {
  TrueTime makespan;               // last activity of a process of the computation
  TrueTime makespan_all;           // last activity of any process of the scenario
  std::uint64_t total_cpu_ns = 0;  // T: CPU time of the processes of the computation
  std::uint64_t messages_delivered = 0;
  std::uint64_t messages_dropped = 0;  // to processes that were gone, or over links that were down
  TrueTime simulated_end;

  // Every process of the scenario in its order, then the created ones. System processes are not listed.
  std::vector<ProcessTruth> processes;
  std::vector<MachineTruth> machines;  // in the order of the scenario

  // "every process ended", "deadlock", "the time limit of 10 s", "the message limit of 1000 messages", or the error.
  std::string ended_by;
  bool deadlocked = false;
  bool at_limit = false;  // one that the scenario sets
  // Processes that had not ended, and what they did: "process 'b' on machine 'red' waits for a message from 'a'".
  std::vector<std::string> blocked;

  // What programs said with print_line(), in the order they said it.
  std::vector<PrintedLine> printed;

  // P = T / makespan, the parallelism that was really there.
  double parallelism() const {
    return makespan.ns > 0 ? static_cast<double>(total_cpu_ns) / static_cast<double>(makespan.ns) : 0;
  }
};

}  // namespace dpm
