// What t_max is made of: the chain of work and messages that ends last, and each process's and each message pair's
// share of it.
//
// Walked back from the last event of a schedule: an event that its process had to wait for was decided by the SEND it
// received, any other event by what its process did before. The shares add up to t_max.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

struct ProcessShare {
  ProcessId process;
  double cpu_s = 0;      // its own work on the path
  double sharing_s = 0;  // waiting for the CPU while others on its machine ran
  double fraction = 0;   // of t_max: work and waiting for the CPU together
};

struct MessageShare {
  ProcessId sender, receiver;
  std::uint64_t messages = 0;
  double delay_s = 0;
  double fraction = 0;
};

struct CriticalPath {
  double t_max_s = 0;
  std::vector<ProcessShare> processes;  // greatest first
  std::vector<MessageShare> messages;   // greatest first
  double outside_s = 0;                 // in processes outside the computation (figure 5.3)
  std::vector<std::uint32_t> events;    // in order of time
};

CriticalPath critical_path(const History& history, const Target& target, const Schedule& schedule);

}  // namespace dpm
