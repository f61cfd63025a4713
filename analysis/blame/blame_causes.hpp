// The causes of a wait, whichever way they were reached: which process did what, in all, the longest first.
//
// A part of a process is one cause, however many programs share it: a queue for the CPU that four programs had in turn is longer than
// a timer, although each of the four had the CPU for less time than the timer took.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/blame/blame.hpp"

namespace dpm {

// One cause: this process did this, or waited for this. The causes of a tree add up to its whole.
struct BlameCause {
  ProcessId process;
  BlamePart part = BlamePart::cpu;
  std::int64_t time_ns = 0;
  std::vector<BlameRival> rivals = {};  // that had the CPU or the lock, or sent the signal, the longest first
};

// A wait for a lock is one cause, whatever the process did that held it.
std::vector<BlameCause> longest_causes(const BlameNode& root);

// The way to the longest cause: the processes that wait for each other, the root first. The last is the cause's own.
struct BlameWay {
  std::vector<ProcessId> processes;
  std::int64_t waited_ns = 0;  // all that the root waited for the process below it on this way
  BlameCause cause;
};
BlameWay longest_way(const BlameNode& root);

}  // namespace dpm
