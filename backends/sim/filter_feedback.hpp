// A filter passes what it has selected on to the process that schedules: as messages, which take time like any others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/sim/process_calls.hpp"

namespace dpm::sim {

class Simulation;

class FilterFeedback {
 public:
  FilterFeedback(Simulation& simulation, ProcessCalls& calls) : simulation_(simulation), calls_(calls) {}

  // Takes the events of a meter message. Sends if the last message is long enough ago.
  void add(std::span<const Event> events);

 private:
  Simulation& simulation_;
  ProcessCalls& calls_;
  std::vector<Event> events_;
  std::optional<TrueTime> sent_at_;
};

}  // namespace dpm::sim
