// The time of a viewer: one axis for the clocks of all machines, cheap enough to be known while a program runs.
//
// Machines share no clock, so the difference of two machines' LocalTimes means nothing by itself. This class is the only
// place that relates them: each machine's time counts from its first event, plus the machine's offset. At first all
// offsets are 0, as if the first events of all machines had happened at one moment. Messages prove more: none arrives
// before it was sent. With d(A,B) the least "received minus sent" of the messages from A to B, as both machines count,
//
//     -d(A,B)  <=  offset(B) - offset(A)  <=  d(B,A)
//
// These bounds add up along every chain of messages: with D(A,B) the least sum of any chain from A to B (Bellman and Ford),
// each offset is the middle between D(B,A) and -D(A,B), A being the first machine. The middles of shortest paths fit every
// bound: no message is received before it is sent, also where messages only go in a circle. An offset is wrong by half the
// width at most (half a round trip), if the clocks run evenly. Clocks drift, so only messages of the last two minutes count:
// what is far back may be displaced by what the clocks have drifted since. Where their bounds contradict each other by that
// drift, all are widened by as much as is needed. analysis/clocks has proven bounds; it needs the whole trace.
//
// Memory: fixed, for messages of which only one end was seen, plus some numbers for each pair of machines.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
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
  struct Way {
    MachineId from, to;
    std::int64_t least_ns = 0;
  };
  std::int64_t least_ns(MachineId from, MachineId to, const Least& least) const;
  static std::optional<std::vector<std::int64_t>> shortest(std::span<const Way> ways, MachineId root,
                                                           std::size_t machines);
  bool place(std::vector<Way> ways);

  std::vector<Machine> machines_;
  std::size_t seen_ = 0;
  std::vector<End> ends_;
  std::map<MachinePair, Least> least_;  // from, to
  std::int64_t widened_ns_ = 0;         // each bound, when they were settled
  bool is_common_ = true;
  bool has_news_ = false;
};

}  // namespace dpm
