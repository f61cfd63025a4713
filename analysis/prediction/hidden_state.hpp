// Processes whose behaviour depends on what messages do not show. A replay repeats what they did in the trace, and is off by
// more than the order of messages explains:
//
//   memory    it does not always react alike to requests of one size from one program: a cache, or a random draw
//   batches   it answers several requests at once: how many were there depends on times
//   refusals  it answers requests with work, and others at once without: how many wait decides
//   idle      it goes on when nothing has come for a time (analysis/history/timers.hpp)
//
// The interval covers them: other requests meet the same reactions (alternatives.hpp), and for batches, refusals and idle
// timers errors as on systems that were simulated are added (kBatchError etc. in the source file).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

struct HiddenState {
  enum class Kind : std::uint8_t { memory, batches, refusals };
  struct Entry {
    Kind kind = Kind::memory;
    std::uint32_t process = 0;
    std::size_t times = 0;
  };
  std::vector<Entry> entries;
  bool idle_timers = false;

  bool has(Kind kind) const;
  // Relative error of a prediction that is expected on top of what alternatives show.
  double expected_error() const;
};

// `roles`: what is predicted by a rule is not hidden.
HiddenState find_hidden_state(const History& history, const Roles& roles);

std::string_view name_of(HiddenState::Kind kind);
std::string reason_of(const HiddenState::Entry& entry);

}  // namespace dpm
