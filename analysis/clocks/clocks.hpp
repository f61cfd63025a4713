// How the clocks of a computation's machines relate, proven by the messages between them (clock_bounds.hpp).
//
// Only messages with two certain ends count: proven matches, not matches by order and size. Clocks tick: a clock that
// shows 10 ms steps may be up to 10 ms later than it reads, so every reading counts as the latest moment it can be. The
// tick is the largest step that all of a machine's times are multiples of.
//
// All bounds of all messages are combined (clock_graph.hpp), so the clocks of machines that exchange no messages, or only
// one way, are related through others wherever that is proven.
//
// Where no even clocks explain the messages, a clock was stepped, or changed its rate: it counts as two, before and after
// (clock_finder.cpp).
//
// Memory: a bounded number of points for each pair and stretch of time, even for a long trace.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/clocks/clock_bounds.hpp"
#include "analysis/clocks/clock_graph.hpp"
#include "analysis/clocks/clock_reading.hpp"
#include "analysis/history/message_pairs.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

// An offset, b's clock minus a's, as `base_ns` and a range to add to it.
struct ClockOffset {
  std::int64_t base_ns = 0;
  Bounds more;

  // In whole nanoseconds, rounded outwards, so that rounding does not claim a tighter bound. Of finite bounds only.
  std::int64_t low_ns() const { return clock_reading_ns(base_ns, 0, std::floor(more.low)); }
  std::int64_t high_ns() const { return clock_reading_ns(base_ns, 0, std::ceil(more.high)); }
};

struct ClockRelation {
  MachineId a, b;
  std::uint64_t messages_from_a = 0, messages_from_b = 0;
  LocalTime at;                // by a: when the offset has this value
  ClockOffset offset;          // one bound: no messages lead back; none: no messages lead from one to the other
  Bounds drift;                // how much faster b runs: 1e-6 is a part in a million
  std::vector<MachineId> via;  // the machines it is known through; empty: from their own messages
};

struct ClockStep {
  MachineId a, b;      // the clock that was stepped: one of them, or both
  LocalTime before;    // by a: what was received from here on does not fit what came before
  double jump_ns = 0;  // of b relative to a, approximately
};

// Which clock of the graph is a machine's at which time.
struct ClockStretches {
  struct Stretch {
    std::int64_t from_ns = 0;  // of all but the first: where it begins
    std::uint32_t clock = 0;
  };
  std::vector<std::vector<Stretch>> of_machine;  // empty: it exchanged no messages

  static constexpr std::uint32_t kNoClock = 0xffffffffu;
  std::uint32_t clock_at(MachineId machine, std::int64_t at_ns) const;
};

struct Clocks {
  std::vector<ClockRelation> relations;  // of every two machines with events, in the table's order
  std::vector<ClockStep> steps;
  std::vector<std::uint64_t> tick_ns;  // by machine; 0: no events
  std::vector<std::string> warnings;
  // The clocks of machines that exchanged messages: one of each, or one for each stretch between steps.
  ClockGraph graph;
  ClockStretches stretches;
};

// The messages from one machine to another.
struct ClockTraffic {
  MachineId from, to;
  std::vector<ClockPoint> points;  // when it was sent; the receiver's reading less the sender's
  std::uint64_t messages = 0;
  std::size_t thin_at = kThinAt;

  static constexpr std::size_t kThinAt = std::size_t{1} << 16;
};

// Those of all pairs: a hash table of four bytes a pair, which stays in the cache.
class ClockTraffics {
 public:
  ClockTraffic& at(MachineId from, MachineId to);
  const ClockTraffic* find(MachineId from, MachineId to) const;
  const std::vector<ClockTraffic>& all() const { return all_; }  // in the order in which they came

 private:
  std::size_t slot_of(MachineId from, MachineId to) const;

  std::vector<ClockTraffic> all_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16);  // 0: free, otherwise a place in all_ and 1
};

// What is kept of a trace to find its clocks.
struct ClockEvidence {
  struct Machine {
    bool seen = false;
    std::int64_t first_ns = 0, last_ns = 0;
    std::uint64_t tick_ns = 0;  // greatest common divisor of all times minus the first
  };

  std::vector<Machine> machines;
  ClockTraffics traffic;
};

// `info` names the machines.
Clocks find_clocks(const ClockEvidence& evidence, const TraceInfo& info);

class ClockAnalysis : public DividedSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  int rounds() const override { return 1; }
  void put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) override;
  void take_from(const Shares& shares, int round, std::uint32_t part, ByteReader& in) override;
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;
  // False if points have been thinned out, which depends on the order in which they came.
  bool is_divisible() const override { return is_divisible_; }

  // After on_end().
  const Clocks& result() const { return result_; }

 private:
  void note_time(const Event& event);
  void note(const MessagePair& pair);
  void add_end(const SeenEnd& end);

  const TraceInfo* info_ = nullptr;
  MessagePairs pairs_;
  std::vector<SeenEnd> open_ends_;  // of a part: of messages whose other end is elsewhere, or nowhere
  bool is_divisible_ = true;
  ClockEvidence evidence_;
  Clocks result_;
};

}  // namespace dpm
