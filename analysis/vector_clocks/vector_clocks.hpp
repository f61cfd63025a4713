// Vector clocks of the events of processes (Mattern 1989): entry q of an event's clock is the number of events of process
// q that happened before it, itself included. So a happened before b exactly where a's clock is smaller.
//
// For events in any order between processes. It takes 17 bytes an event and 8 an arc, and the clocks of what is under way.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/vector_clocks/vector_clock.hpp"

namespace dpm {

// `effect` could not happen before `cause` had: a RECEIVE and its SEND, for example.
struct CausalArc {
  std::uint32_t cause = 0, effect = 0;  // numbers of events
};

class VectorClocks {
 public:
  // Event e of `process_of` is performed by process_of[e]; events of one process are in its order.
  VectorClocks(std::span<const std::uint32_t> process_of, std::uint32_t processes, std::vector<CausalArc> arcs);

  using Visit = std::function<void(std::uint32_t event, const VectorClock& clock)>;

  // Visits all events, causes before their effects; once. The clock lives for the call. Clocks are kept only for
  // events whose effects are still to come. Arcs that close a circle are left out: the trace is damaged; returns
  // their number.
  std::uint64_t visit(const Visit& visit);

 private:
  std::span<const std::uint32_t> process_of_;
  std::vector<std::uint32_t> events_, first_event_;  // by process
  std::vector<CausalArc> arcs_;                      // by cause
  std::vector<std::uint32_t> first_arc_;             // by cause
  std::vector<std::uint32_t> unmet_;                 // by effect: causes that have not been visited
};

}  // namespace dpm
