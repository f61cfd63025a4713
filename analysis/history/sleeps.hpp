// Pauses that a program makes by itself, such as a clock between its ticks:
//
//   clock   o tick ─── sleeps ───┐ o tick
//
// A trace shows them as time by the process's own clock in which it used no CPU time and asked for no message. On a machine that it
// shares it may have waited for a core, and nothing is known. In a replay the process pauses as long.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct Sleeps {
  std::map<std::uint32_t, std::int64_t> before_ns;  // by the event that the process goes on with
  std::vector<std::uint32_t> processes;             // by increasing number
  std::int64_t total_ns = 0;
};

Sleeps find_sleeps(const History& history);

}  // namespace dpm
