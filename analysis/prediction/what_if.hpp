// Changes of a traced computation, to try on its history before making them. Everything is relative to the trace and
// its placement, and several changes combine:
//
//   speed  a process's CPU time is divided by the factor: a better program, or only a part of the work.
//          The cost of messages at sender and receiver belongs to the machine and stays.
//   delay  messages between two machines, or two processes, either way, or between all machines, take `factor` times as long to arrive.
//   cores  a machine has that number of cores.
//   replicas
//          a server has that many copies, each on a machine of its own like the server's, or all on a given one. Each
//          client's requests go to the server and its copies in turn, and the copy that got one answers it. A copy does with a request what the server did in the trace: what it would remember otherwise is not known,
//          only caveats are (analysis/history/server_work.hpp).
//
// A name stands for all processes of that name and for their threads, as in a placement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "model/result.hpp"

namespace dpm {

struct SpeedChange {
  std::string process;
  double factor = 1;
};

inline constexpr const char* kAllMachines = "all";

struct DelayChange {
  std::string ends;  // "A-B": two machines, or else two processes, whose names may contain '-'; or kAllMachines
  double factor = 1;
};

struct CoresChange {
  std::string machine;
  std::uint16_t cores = 1;
};

struct ReplicaChange {
  std::string process;
  std::uint32_t copies = 2;  // the server itself is the first of them
  std::string machine = {};  // for all but the first; empty: each on its own
};

struct WhatIf {
  std::vector<SpeedChange> speeds;
  std::vector<DelayChange> delays;
  std::vector<CoresChange> cores;
  std::vector<ReplicaChange> replicas;

  bool empty() const { return speeds.empty() && delays.empty() && cores.empty() && replicas.empty(); }
};

inline constexpr double kLargestFactor = 1e6;  // and its inverse the smallest: beyond that, nanoseconds lose precision

inline constexpr std::uint32_t kMostCopies = 1000;

// Call first: adds the copies that `what_if` asks for to the history, named "server#2", "server#3", ..., as processes
// without events, and machines of that name for those that have none. A placement can then place them. Refuses a server
// without requests to share.
Result<void> add_copies(const WhatIf& what_if, History& history);

// Call second, with a target of that history: applies everything else. Refuses unknown names (with the nearest),
// processes that the history has no events of, and factors out of range. Returns notes about the changes, to show
// beside their result.
Result<std::vector<std::string>> apply(const WhatIf& what_if, const History& history, Target& target);

// Whether the number of a change is in its range, whatever has the name that it gives.
Result<void> check(const SpeedChange& change);
Result<void> check(const DelayChange& change);
Result<void> check(const CoresChange& change);
Result<void> check(const ReplicaChange& change);

// Messages take `factor` times as long: all, or all but those within a machine.
void scale_all_delays(DelayModel& delays, double factor);
void scale_delays(DelayModel& delays, double factor);

// Messages between these two machines take `factor` times as long.
void scale_delays(DelayModel& delays, const std::string& machine_a, const std::string& machine_b, double factor);

// The line of delays multiplied by `factor`.
PiecewiseLinear scaled(const PiecewiseLinear& line, double factor);

}  // namespace dpm
