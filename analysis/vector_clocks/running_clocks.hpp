// The clocks of all processes while their events are gone through, causes before effects.
//
// What a process told others is kept once for all that it told between two things it learnt: only its own count differs. So a
// process that sends a million messages without reading keeps one clock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/vector_clocks/vector_clock.hpp"

namespace dpm {

// What a process knew after one of its events.
struct Knowledge {
  std::shared_ptr<const VectorClock> others;  // its own count in here may be older
  std::uint32_t process = 0, count = 0;

  // How many events of that process it knew of.
  std::uint32_t count_of(std::uint32_t other) const {
    return other == process ? count : others == nullptr ? 0 : others->count_of(other);
  }
};

class RunningClocks {
 public:
  // The process performs its next event. What caused the event is learnt before.
  const VectorClock& perform(std::uint32_t process);
  void learn(std::uint32_t process, const Knowledge& knowledge);
  // To be passed on to those that the last event of the process causes.
  Knowledge knowledge_of(std::uint32_t process);
  std::uint32_t count_of(std::uint32_t process) const;
  const VectorClock& clock_of(std::uint32_t process) { return state_of(process).clock; }

 private:
  struct State {
    VectorClock clock;
    std::shared_ptr<const VectorClock> told;  // none: it has learnt something since
    std::uint32_t count = 0;
  };
  State& state_of(std::uint32_t process);

  std::vector<State> states_;  // by process
};

}  // namespace dpm
