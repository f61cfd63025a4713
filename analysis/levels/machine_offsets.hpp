// The time of a viewer: one axis for the clocks of all machines, cheap enough to be known while a program runs.
//
// Machines share no clock, so the difference of two machines' LocalTimes means nothing by itself. This class is the only
// place that relates them: each machine's time counts from its first event, plus the machine's offset. At first all
// offsets are 0, as if the first events of all machines had happened at one moment. Messages prove more: none arrives
// before it was sent. With d(A,B) the least "received minus sent" of the messages from A to B, as both machines count,
//
//     -d(A,B)  <=  offset(B) - offset(A)  <=  d(B,A)
//
// and where messages went both ways, the middle is taken, from machine to machine along the narrowest bounds. It is wrong
// by half their width at most (half a round trip), if the clocks run evenly. Clocks drift, so only messages of the last two
// minutes count: what is far back may be displaced by what the clocks have drifted since. analysis/clocks has proven
// bounds; it needs the whole trace.
//
// Memory: fixed, for messages of which only one end was seen, plus some numbers for each pair of machines.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// Since the beginning of the trace, on the axis of the viewer.
struct RunTime {
  std::int64_t ns = 0;

  static constexpr RunTime from_seconds(double seconds) { return {Duration::from_seconds(seconds).ns}; }
  constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }
  friend constexpr auto operator<=>(RunTime, RunTime) = default;
};

class MachineOffsets {
 public:
  // Every event, in any order.
  void note(const Event& event, const TraceInfo& info);
  // Takes what messages have proven into account. Times change by it, so a viewer calls it between two answers.
  void settle();

  RunTime run_time(MachineId machine, LocalTime time) const;
  LocalTime local_time(MachineId machine, RunTime time) const;
  RunTime last() const;  // of all machines' last events
  LocalTime last_of(MachineId machine) const { return machine_at(machine).last; }
  bool has(MachineId machine) const { return machine.value < machines_.size() && machines_[machine.value].seen; }
  // Messages relate all machines with events to each other: false means that some offsets are still guesses.
  bool is_common() const { return is_common_; }

 private:
  struct Machine {
    bool seen = false;
    LocalTime first, last;
    std::int64_t offset_ns = 0;
  };
  struct End {  // of a message whose other end was not seen yet
    std::uint64_t key = 0;
    LocalTime time;
    MachineId machine;
    bool is_send = false;
  };
  struct Least {  // received minus sent, by the clocks themselves, in the last two periods of the receiver's clock
    std::int64_t period = 0;
    std::int64_t now_ns = 0;
    std::optional<std::int64_t> before_ns;

    std::int64_t ns() const { return before_ns ? std::min(*before_ns, now_ns) : now_ns; }
  };
  using MachinePair = std::pair<MachineId, MachineId>;

  const Machine& machine_at(MachineId machine) const;
  void note_end(const Event& event, const TraceInfo& info);
  void note_message(const End& sent, const End& received);
  std::optional<std::int64_t> least_ns(MachineId from, MachineId to) const;

  std::vector<Machine> machines_;
  std::size_t seen_ = 0;
  std::vector<End> ends_;
  std::map<MachinePair, Least> least_;  // from, to
  bool is_common_ = true;
  bool has_news_ = false;
};

}  // namespace dpm
