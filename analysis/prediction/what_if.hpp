// Changes of a traced computation, to be tried on its history before anybody makes them. Everything is relative to what
// the trace and its placement say, and several changes add up:
//
//   speed  a process needs its CPU time divided by the factor: a better program, or the part of the work it no longer
//          has. What messages cost their sender and receiver belongs to the machine and stays.
//   link   messages between two machines, or two processes, either way, take so many times as long to arrive.
//   cores  a machine has so many cores.
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

struct WhatIf {
  std::vector<SpeedChange> speeds;
  std::vector<LinkChange> links;
  std::vector<CoresChange> cores;

  bool empty() const { return speeds.empty() && links.empty() && cores.empty(); }
};

inline constexpr double kLargestFactor = 1e6;  // and its inverse the smallest: beyond, nanoseconds run out

// Refuses unknown names (with the nearest), processes the history has no events of, and factors out of range. Returns
// what to know about the changes beside their result.
Result<std::vector<std::string>> apply(const WhatIf& what_if, const History& history, Target& target);

// A line of delays that is `factor` times as high.
PiecewiseLinear scaled(const PiecewiseLinear& line, double factor);

}  // namespace dpm
