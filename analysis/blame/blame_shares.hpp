// The causes of a wait, whichever way they were reached: who did what, in all, the longest first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/blame/blame.hpp"

namespace dpm {

// One cause: this process did this, or waited for this. The shares of a tree add up to its whole.
struct BlameShare {
  ProcessId process;
  BlamePart part = BlamePart::cpu;
  ProcessId rival;         // of cpu_queue and lock: the process that had the CPU or the lock
  std::string rival_name;  // or the program, if the trace does not describe it
  std::int64_t time_ns = 0;

  bool has_rival() const { return !rival.is_none() || !rival_name.empty(); }
};

// A wait for a lock is one cause, whatever the process did that held it.
std::vector<BlameShare> longest_shares(const BlameNode& root);

// The way to the longest cause: the processes that wait for each other, the root first. The last is the cause's own.
struct BlameWay {
  std::vector<ProcessId> processes;
  std::int64_t waited_ns = 0;  // all that the root waited for the process below it on this way
  BlameShare cause;
};
BlameWay longest_way(const BlameNode& root);

}  // namespace dpm
