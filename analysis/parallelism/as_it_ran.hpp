// The run itself, by its machines' own clocks, beside what a replay of its graph gives.
//
// A replay knows only what is in the graph. Where something else made one activity wait for another (a timer, a file, a
// lock, a wait that was not metered), a replay runs both at once. The clocks show it: the lifetimes of two processes of
// one machine do not overlap in the run, and do in the replay.
//
//      run      first  |-----|             replay   first  |-----|
//               second         |-----|              second |-----|
#pragma once

#include <optional>
#include <string>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

// The CPU time of the computation (of acquired processes: since they were acquired), and the time from its first event
// to its last; on the machine where that is longest, because machines share no clock.
struct RunTimes {
  double T_s = 0;
  double elapsed_s = 0;
  double P = 0;  // the mean number of busy CPUs; 0 if it took no time
};
RunTimes as_it_ran(const History& history, std::uint64_t cpu_ns);  // `cpu_ns` is that of all its events

// A stretch of a replay counts if two processes overlap in it that never overlapped in the run.
struct FalseOverlaps {
  double seconds = 0;
  std::uint64_t processes = 0;  // at least this many processes take part
  ProcessId a, b;               // two of them
};
FalseOverlaps find_false_overlaps(const History& history, const Schedule& schedule);

// A sentence, if it is more than a hundredth of the replay and more than a millisecond.
std::optional<std::string> warning_of(const FalseOverlaps& overlaps, const History& history, double elapsed_s);

}  // namespace dpm
