// A view of all machines' times in the clock of one of them, in which no message is received before it is sent and
// every process keeps its order. Recorded times stay unchanged.
//
// The clocks are placed one after the other, the one with the narrowest bounds to a placed one first. Each gets the line of
// clock_bounds.hpp between all points that the clocks before it prove, by any chain of messages (clock_graph.hpp): that of the
// equal clock, or else the middle. A line that leaves no room for a later one is moved, as little as needed: each violated
// message in turn moves both of its clocks until it takes no time (relaxation: S. Agmon, "The relaxation method for linear
// inequalities", 1954). So no message goes back in time, if one line for each clock explains them all. Where a coarse or stepped clock does not allow that, order_in_common() moves single events later, with what follows them in
// their process, as little as needed: the order of cause and effect is more certain than any clock.
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
  MachineId reference_of(MachineId machine) const { return references_.at(machine.value); }

 private:
  // When the clock reads base + x, the reference reads reference + offset + rate x.
  struct Placed {
    std::int64_t base_ns = 0, reference_ns = 0;
    long double offset = 0, rate = 1;
  };
  void place(std::uint32_t clock, std::uint32_t near, std::span<const std::uint32_t> placed, const Clocks& clocks);
  bool settle(std::span<const std::uint32_t> group, const Clocks& clocks, bool as_read);
  ClockBounds bounds_of(std::uint32_t clock, std::uint32_t near, std::span<const std::uint32_t> placed,
                        const Clocks& clocks, bool as_read) const;

  ClockStretches stretches_;
  std::vector<MachineId> references_;  // by machine
  std::vector<Placed> placed_;         // by clock
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
