// The run itself, by its machines' own clocks, beside what a replay of its graph makes of it.
//
// A replay knows only what stands in the graph. Where something else made one activity wait for another (a timer, a
// file, a lock, a wait that was not metered), a replay lets both happen at once. The clocks show it: lives of two
// processes of one machine that had nothing of their time in common in the run, and have in the replay.
//
//      run      first  |-----|             replay   first  |-----|
//               second         |-----|              second |-----|
#pragma once

#include <optional>
#include <string>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

// The CPU time of the computation (of acquired processes: since then), and from its first event to its last; of the
// machine where that is longest, because machines share no clock.
struct RunTimes {
  double T_s = 0;
  double elapsed_s = 0;
  double P = 0;  // the mean number of CPUs at work; 0 if it took no time
};
RunTimes as_it_ran(const History& history);

// A stretch of a replay counts if two processes are alive in it that never were at once in the run.
struct FalseOverlaps {
  double seconds = 0;
  std::uint64_t processes = 0;  // at least this many take part
  ProcessId a, b;               // two of them
};
FalseOverlaps find_false_overlaps(const History& history, const Schedule& schedule);

// In words, if it is more than a hundredth of the replay and a millisecond.
std::optional<std::string> warning_of(const FalseOverlaps& overlaps, const History& history, double elapsed_s);

}  // namespace dpm
