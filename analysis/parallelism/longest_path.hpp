// The longest path through a history on a target, without contention: steps one and two of thesis 5.2.3.
//
// No heap and no order of time: every process runs ahead until it needs a message whose SEND has not been passed; that
// SEND resumes it. One visit per event.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/message_costs.hpp"

namespace dpm {

enum class MessageDelays : std::uint8_t { none, target };

struct LongestPath {
  std::int64_t t_max_ns = 0;
  std::int64_t cpu_ns = 0;
  std::uint64_t not_reached = 0;  // events on or after a circle
};

// A message, or the end of a wait, for a process whose events another worker passes through.
struct Arrival {
  std::uint32_t process = 0;
  std::uint32_t event = kNoEvent;
  std::int64_t time_ns = 0;
};

// Several workers that pass through one history together: each through its processes, and they tell each other what the
// processes told each other. Each has a part of the result: times of which the longest counts, and sums.
class PassCompany {
 public:
  virtual ~PassCompany() = default;
  virtual bool has(std::uint32_t process) const = 0;
  virtual void tell(const Arrival& arrival) = 0;
  // Blocks until others have told this worker something. Called only while it has events that need it.
  virtual std::vector<Arrival> wait() = 0;
};

// With company, the history must have no circles: its workers would wait for each other.
LongestPath longest_path(const History& history, MessageCosts& costs, MessageDelays delays,
                         PassCompany* company = nullptr);

}  // namespace dpm
