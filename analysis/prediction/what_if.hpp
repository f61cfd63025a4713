// Changes of a traced computation, to be tried on its history before anybody makes them. Everything is relative to what
// the trace and its placement say, and several changes add up:
//
//   speed  a process needs its CPU time divided by the factor: a better program, or the part of the work it no longer
//          has. What messages cost their sender and receiver belongs to the machine and stays.
//   link   messages between two machines, or two processes, either way, take so many times as long to arrive.
//   cores  a machine has so many cores.
//   replicas
//          a server has that many copies, each on a machine of its own like the server's, or all on a given one. Each
//          client's requests go to the server and its copies in turn, and the copy that got one answers it. A copy does with a request what the server did in the trace: what it would remember otherwise is not known,
//          only doubts are (analysis/history/server_work.hpp).
//
// Names stand for all processes of that name and for their threads, as in a placement.
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

struct LinkChange {
  std::string ends;  // "A-B": two machines, or else two processes; names may contain '-' themselves
  double delay_factor = 1;
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
  std::vector<LinkChange> links;
  std::vector<CoresChange> cores;
  std::vector<ReplicaChange> replicas;

  bool empty() const { return speeds.empty() && links.empty() && cores.empty() && replicas.empty(); }
};

inline constexpr double kLargestFactor = 1e6;  // and its inverse the smallest: beyond, nanoseconds run out

inline constexpr std::uint32_t kMostCopies = 1000;

// First: the history with the copies `what_if` asks for, named "server#2", "server#3", ..., as processes that have done
// nothing, and with machines of that name for those that have none. A placement can then say where they are. Refuses
// what has no requests to share.
Result<void> add_copies(const WhatIf& what_if, History& history);

// Then, to a target of that history: everything else. Refuses unknown names (with the nearest), processes the history
// has no events of, and factors out of range. Returns what to know about the changes beside their result.
Result<std::vector<std::string>> apply(const WhatIf& what_if, const History& history, Target& target);

// Messages between these two machines take `factor` times as long.
void scale_delays(DelayModel& delays, const std::string& machine_a, const std::string& machine_b, double factor);

// A line of delays that is `factor` times as high.
PiecewiseLinear scaled(const PiecewiseLinear& line, double factor);

}  // namespace dpm
