// One run in numbers that can be compared with those of another run. Processes are numbered by their place in `processes`; a
// "process" may stand for a group of processes alike. What the trace does not have is absent, never zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpm {

struct ProcessProfile {
  std::string name;
  std::string program;  // empty: not known
  std::string machine;
  double cpu_s = 0;
  std::optional<double> wait_mean_s;  // of messages in its queue
};

struct PairProfile {
  std::size_t from = 0, to = 0;
  std::uint64_t messages = 0, bytes = 0;
};

// Requests that took this path (thesis 5.2.4): the processes in the order in which they worked on it.
struct PathProfile {
  std::vector<std::size_t> processes;
  std::uint64_t requests = 0;
};

// A part of the elapsed time: what a process did, and for the CPU's queue and locks which program had them.
struct TimePart {
  std::size_t process = 0;
  std::string doing;
  std::string rival;
  double time_s = 0;
};

struct RunProfile {
  std::vector<ProcessProfile> processes;
  std::vector<PairProfile> pairs;
  std::vector<PathProfile> paths;
  std::optional<std::size_t> elapsed_of;  // the process whose time is divided; none: no process has an event
  std::vector<TimePart> elapsed;          // adds up to its time, from its first event to its last
  std::optional<double> T_s, t_max_s, P;  // third step (thesis 5.2.3)
};

}  // namespace dpm
