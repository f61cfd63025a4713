// How much of its trace a run of the twin reproduced, what is missing, and which processes should be written as they
// were recorded.
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
  std::uint64_t reproduced = 0;   // of each pair the smaller of the two counts
  std::uint64_t surplus = 0;      // messages of the twin beyond those
  double T_trace_s = 0, T_twin_s = 0;
  double elapsed_trace_s = 0, elapsed_twin_s = 0;
  bool ended = false;              // every process that should end did
  std::vector<std::string> lacks;  // why it is not a twin, in words: empty if it is one

  double share() const;    // of messages: reproduced / (in the trace + surplus)
  double T_error() const;  // 0.01: one percent too much or too little
};

struct Bounds {
  double messages = 0.95;  // of all, at least
  double T_error = 0.05;   // at most
};

Reproduction compare(const Twin& twin, const TwinRun& run, const Bounds& bounds = {});

// The processes of the trace to write as recorded next time, in addition to those that are: those that received what
// they should and sent something else; if there is none, those that are stuck and those they wait for; if there is none
// of these either, all. Empty if all are.
std::set<std::uint32_t> to_record(const Twin& twin, const TwinRun& run, const Reproduction& reproduction);

}  // namespace dpm::twin
