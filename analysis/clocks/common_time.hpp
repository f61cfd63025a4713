// A view of all machines' times in the clock of one of them, in which no message is received before it is sent and
// every process keeps its order. Recorded times stay unchanged.
//
// The line of each pair of clocks (clock_bounds.hpp) leads from machine to machine, along the paths with the narrowest
// bounds: that of equal clocks where messages permit it, or else one in the middle of the bounds. Where that is not accurate enough, single events are moved later, with what follows
// them in their process, as little as needed: the order of cause and effect is more certain than any clock.
//
// Machines that no chain of messages joins have no common time. Each such group has its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/clocks/clocks.hpp"
#include "model/event.hpp"

namespace dpm {

// Nanoseconds by the reference clock of its machine's group.
struct CommonInstant {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(CommonInstant, CommonInstant) = default;
};

class CommonTime {
 public:
  explicit CommonTime(const Clocks& clocks);
  CommonTime(const CommonTime&) = delete;

  CommonInstant at(MachineId machine, LocalTime time) const;
  // Of each event, whole nanoseconds.
  std::vector<std::int64_t> times_ns(std::span<const Event> events) const;
  // The machine whose clock is used; times of machines with different references must not be compared.
  MachineId reference_of(MachineId machine) const { return steps_.at(machine.value).reference; }

 private:
  struct Step {  // towards the reference
    MachineId reference, previous;
    const ClockPair* pair = nullptr;
  };
  std::int64_t to_previous(const Step& step, MachineId machine, std::int64_t time_ns) const;

  std::vector<ClockPair> pairs_;
  std::vector<Step> steps_;  // by machine
};

struct CommonOrder {
  std::vector<CommonInstant> times;     // by event
  std::vector<std::uint32_t> in_order;  // the events by time, a cause before its effect
  std::uint64_t moved = 0;              // events that are later than their clock says
  std::uint64_t contradictions = 0;     // messages in a circle of causes: the trace is damaged, and they are ignored
};

// `events` of each process must be in its order, as messages (analysis/messages has resolved streams).
CommonOrder order_in_common(std::span<const Event> events, const CommonTime& time);

}  // namespace dpm
