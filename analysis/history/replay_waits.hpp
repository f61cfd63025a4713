// The waits of a replay other than those for messages: which `wait` is over because its `wake` has happened, and which
// process is blocked at one that is not.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/history/history.hpp"

namespace dpm {

class ReplayWaits {
 public:
  explicit ReplayWaits(const History& history) {
    for (std::uint32_t e = 0; e < history.events.size(); ++e) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() == HistoryKind::wait && event.match != kNoEvent) open_.emplace(e, State());
    }
  }

  // Call before each replay.
  void begin() {
    for (auto& entry : open_) entry.second = {};
  }

  // A wait that nothing in the trace ends is over at once.
  bool is_over(std::uint32_t wait) const {
    const auto found = open_.find(wait);
    return found == open_.end() || found->second.over;
  }

  void stand_at(std::uint32_t wait, std::uint32_t process) { open_.at(wait).waiter = process; }

  // Ends a wait. Returns the process that is blocked at it, if there is one.
  std::optional<std::uint32_t> end(std::uint32_t wait) {
    State& state = open_.at(wait);
    state.over = true;
    return std::exchange(state.waiter, std::nullopt);
  }

 private:
  struct State {
    bool over = false;
    std::optional<std::uint32_t> waiter;
  };
  std::unordered_map<std::uint32_t, State> open_;  // by the number of the `wait`
};

}  // namespace dpm
