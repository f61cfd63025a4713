// What a run of a twin reproduced of the trace it was made from, what it lacks, and which processes had better be
// written as they were recorded.
#pragma once

#include <set>

#include "twin/model.hpp"

namespace dpm::twin {

// A run of a twin, seen from outside. Processes have the names of the scenario.
struct TwinRun {
  struct Process {
    std::string name;
    std::string state;  // "ended", "waits for a message from 'b'", ...
    double cpu_s = 0;
    bool stuck = false;  // it should have ended, and has not
  };
  std::vector<Process> processes;
  std::map<std::pair<std::string, std::string>, std::uint64_t> messages;  // by sending and receiving process
  double elapsed_s = 0;
  std::string failure;  // why the run did not begin, or broke off; empty if it ended
};

struct Reproduced {
  std::string from, to;  // groups
  std::uint64_t in_trace = 0, in_twin = 0;
};

struct Reproduction {
  std::vector<Reproduced> pairs;  // the largest first
  std::uint64_t in_trace = 0;     // messages
  std::uint64_t reproduced = 0;   // of each pair as many as there are in both
  std::uint64_t surplus = 0;      // that the twin makes beyond those
  double T_trace_s = 0, T_twin_s = 0;
  double elapsed_trace_s = 0, elapsed_twin_s = 0;
  bool ended = false;              // every process that should end did
  std::vector<std::string> lacks;  // in words, what keeps it from being a twin: empty if nothing does

  double share() const;    // of messages, of those in the trace and the surplus
  double T_error() const;  // 0.01: one percent too much or too little
};

struct Bounds {
  double messages = 0.95;  // of all, at least
  double T_error = 0.05;   // at most
};

Reproduction compare(const Twin& twin, const TwinRun& run, const Bounds& bounds = {});

// Processes of the trace to be written as recorded the next time, beside those that are: those that had what they had
// in the trace and did something else; where there is none, those that stand still and those they wait for; where there
// is none of these either, all. Empty if all are.
std::set<std::uint32_t> to_record(const Twin& twin, const TwinRun& run, const Reproduction& reproduction);

}  // namespace dpm::twin
