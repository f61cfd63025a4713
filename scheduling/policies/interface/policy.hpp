// A policy looks at the window of a computation and proposes what to move. It moves nothing: the decision loop
// (scheduling/decisions) performs one move at a time, measures, and undoes what has not helped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/policies/interface/system_view.hpp"

namespace dpm {

// Relative changes of the rate at which work is done: 0.1 is 10 % more messages a second.
struct GainRange {
  double expected = 0, low = 0, high = 0;
};

struct Proposal {
  std::vector<ProcessMove> moves;      // in the order in which they are to be made; empty: nothing to do
  std::optional<GainRange> predicted;  // none of a policy that does not predict
  std::string reason;                  // in words, also of "nothing to do"
};

struct PolicyOptions {
  double gain_min = 0.03;                            // hysteresis: a smaller predicted gain moves nothing
  Duration move_cost = Duration::from_seconds(0.2);  // how long a moved process stands still
  Duration horizon = Duration::from_seconds(60);     // how long a placement is expected to stay good
  std::uint64_t evaluations = 300;                   // placements that one decision may predict
  std::size_t replayed_events_max = SIZE_MAX;        // of the window, the last ones: what a decision costs
  std::uint64_t seed = 1;                            // of a search that is not exhaustive
  // How long a process that is on a core keeps it from one that has been woken; 0: they share it at once.
  Duration time_slice = {};
  // Each call of a process waits for a meter, which runs on a machine that no placement decides.
  bool calls_wait = false;
  std::map<std::string, std::string> placement = {};  // "fixed": machine by process
};

class Policy {
 public:
  virtual ~Policy() = default;

  virtual Proposal propose(const SystemView& view) = 0;
};

}  // namespace dpm
