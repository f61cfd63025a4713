// How long queues were, over time, where the trace has no MESSAGEQUEUED of its own: behind a QueueFeed
// (analysis/messages), which knows arrivals only when it has seen the whole trace. Levels that are filled while a program
// runs cannot have them.
//
// A queue is one longer from each MESSAGEQUEUED to the RECEIVE of the same message. A RECEIVE whose arrival is not known
// changes nothing: that message came from outside, or from another machine.
//
// Memory: two points of 24 bytes at most for each event; the history graph of the same trace takes more.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/levels/curve.hpp"
#include "analysis/levels/machine_offsets.hpp"
#include "analysis/levels/stays.hpp"
#include "model/event_source.hpp"

namespace dpm {

class QueueLevels : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  // Of one queue after the other, as QueueFeed plays them.
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport&) override {}

  bool has_queue(ProcessId process) const;
  bool empty() const;
  // Messages that have arrived and were never received.
  std::uint64_t still_queued(ProcessId process) const;
  // Messages x time between neighbouring edges, which increase, on the axis of `offsets`.
  std::vector<std::uint64_t> of(ProcessId process, std::span<const RunTime> edges, const MachineOffsets& offsets) const;

 private:
  struct Length {
    static constexpr bool kTakesTime = true;

    std::uint64_t queue_ns = 0;

    Length part(std::int64_t numerator, std::int64_t denominator) const;
    Length& operator+=(const Length& other);
    Length& operator-=(const Length& other);
  };
  using Message = std::tuple<ProcessId, ChannelId, std::uint64_t>;
  struct Queue {
    Stays<Length> stays;
    LocalTime last;  // by the clock of `machine`
    MachineId machine;
    std::uint64_t length = 0;
    bool is_known = false;
  };

  void take(const Event& event);

  std::vector<Queue> queues_;  // by process
  ProcessId current_;
  std::set<Message> waiting_;  // in the queue of `current_`
};

}  // namespace dpm
