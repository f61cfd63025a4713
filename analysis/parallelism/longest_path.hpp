// The longest path through a history on a target, without contention: steps one and two of thesis 5.2.3.
//
// No heap and no order of time: every process runs ahead until it needs a message whose SEND has not been passed; that
// SEND resumes it. One visit per event.
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"
#include "analysis/history/message_costs.hpp"

namespace dpm {

enum class MessageDelays : std::uint8_t { none, target };

struct LongestPath {
  std::int64_t t_max_ns = 0;
  std::int64_t cpu_ns = 0;
  std::uint64_t not_reached = 0;  // events on or after a circle
};

LongestPath longest_path(const History& history, MessageCosts& costs, MessageDelays delays);

}  // namespace dpm
