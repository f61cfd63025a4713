// How the clocks of a computation's machines relate, proven by the messages between them (clock_bounds.hpp).
//
// Only messages with two certain ends count: proven matches, not matches by order and size. Clocks tick: a clock that
// shows 10 ms steps may be up to 10 ms later than it reads, so every reading counts as the latest moment it can be. The
// tick is the largest step that all of a machine's times are multiples of.
//
// A pair whose messages two even clocks cannot explain is cut into pieces that they can explain: near each cut one of
// the clocks was stepped, or changed its rate. Pairs without messages both ways are bounded through other machines
// where that is possible: widths add up.
//
// Memory: a bounded number of points for each pair and stretch of time, even for a long trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/clocks/clock_bounds.hpp"
#include "analysis/history/message_pairs.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

// A stretch in which both clocks run evenly, by the clock of `a`.
struct ClockPiece {
  LocalTime from, to;
  ClockBounds bounds;
};

// Two machines that exchanged messages, a before b in the trace's table.
struct ClockPair {
  MachineId a, b;
  std::uint64_t messages_from_a = 0, messages_from_b = 0;
  std::vector<ClockPiece> pieces;  // one, unless a clock was stepped
};

// An offset, b's clock minus a's, as `base_ns` and a range to add to it.
struct ClockOffset {
  std::int64_t base_ns = 0;
  Bounds more;
};

struct ClockRelation {
  MachineId a, b;
  std::uint64_t messages_from_a = 0, messages_from_b = 0;
  LocalTime at;                // by a: when the offset has this value
  ClockOffset offset;          // one bound: messages went one way only; none: no messages
  Bounds drift;                // how much faster b runs: 1e-6 is a part in a million
  std::vector<MachineId> via;  // the machines it is known through; empty: from their own messages
};

struct ClockStep {
  MachineId a, b;      // the clock that was stepped: one of them, or both
  LocalTime before;    // by a: what was received from here on does not fit what came before
  double jump_ns = 0;  // of b relative to a, approximately
};

struct Clocks {
  std::vector<ClockPair> pairs;
  std::vector<ClockRelation> relations;  // of every two machines with events, in the table's order
  std::vector<ClockStep> steps;
  std::vector<std::uint64_t> tick_ns;  // by machine; 0: no events
  std::vector<std::string> warnings;

  // b's clock minus a's when a's reads `at`, from the messages of the pair alone; either machine may be given as
  // `from`.
  static ClockOffset offset_of(const ClockPair& pair, MachineId from, std::int64_t at_ns);
  const ClockPair* pair_of(MachineId a, MachineId b) const;
};

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
  struct Machine {
    bool seen = false;
    std::int64_t first_ns = 0, last_ns = 0;
    std::uint64_t tick_ns = 0;  // greatest common divisor of all times minus the first
  };
  static constexpr std::size_t kThinAt = std::size_t{1} << 16;
  struct Points {
    std::vector<ClockPoint> not_above, not_below;
    std::uint64_t messages_from_a = 0, messages_from_b = 0;
    std::size_t thin_at = kThinAt;
  };

  void note_time(const Event& event);
  void note(const MessagePair& pair);
  void add_end(const SeenEnd& end);
  ClockPair make_pair(MachineId a, MachineId b, const Points& points);
  void find_relations();

  const TraceInfo* info_ = nullptr;
  MessagePairs pairs_;
  std::vector<SeenEnd> open_ends_;  // of a part: of messages whose other end is elsewhere, or nowhere
  bool is_divisible_ = true;
  std::vector<Machine> machines_;
  std::map<std::pair<MachineId, MachineId>, Points> points_;
  Clocks result_;
};

}  // namespace dpm
