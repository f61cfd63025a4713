// What all messages together prove about the clocks of any number of machines: a system of difference constraints.
//
// One message proves one thing: when the sender's clock reads s, the receiver's reads r at most. The clocks run evenly, so the
// messages of one way, from i to j, bound j's clock by their lower hull (clock_bounds.hpp), at every reading of i between the
// first and the last of them. Two such bounds that follow each other make a third:
//
//     i -> k:  k reads u(x) at most when i reads x
//     k -> j:  j reads v(y) at most when k reads y
//     together, i -> j:  j reads v(u(x)) at most when i reads x
//
// u and v are convex and rise, so v(u) is, too: again a hull, with a corner for each corner of either. So the tightest bounds
// that any chain of messages proves are shortest paths, in a graph whose lengths are hulls. A bound from below is the bound
// of the way back. Where traffic goes in a circle each pair has both, though no two machines exchange messages both ways.
//
// A circle that takes less than no time is a contradiction: no even clocks explain its messages. Each corner remembers the
// messages that prove it, so they can be named.
//
// The shortest paths are found by eliminating clocks, those with the fewest neighbours first, and returning: L. Planken, M. de
// Weerdt, R. van der Krogt, "Computing all-pairs shortest paths by leveraging low treewidth", JAIR 2012. A ring or a star of
// n clocks takes n^2 steps, a full mesh n^3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/clocks/clock_bounds.hpp"
#include "model/ids.hpp"

namespace dpm {

// A stretch in which a machine's clock runs evenly.
struct EvenClock {
  MachineId machine;
  std::int64_t base_ns = 0;                // a reading near the others: points are relative to it
  std::int64_t first_ns = 0, last_ns = 0;  // of all events, not only of messages
};

struct ClockMessage {              // its times as they were read
  std::uint32_t from = 0, to = 0;  // clocks, by number
  std::int64_t sent_ns = 0, received_ns = 0;
};

class ClockGraph {
 public:
  using Number = ClockBounds::Number;
  using Point = ClockBounds::Point;
  using Way = std::vector<Point>;  // from left to right, by the first clock; y: the second's reading less the first's

  ClockGraph() = default;
  explicit ClockGraph(std::vector<EvenClock> clocks);

  // Messages of one way, in any order: when it was sent, and the receiver's reading less the sender's, which may be `tick_ns`
  // later than it was read. Call once for a way.
  void add(std::uint32_t from, std::uint32_t to, std::span<const ClockPoint> messages, std::int64_t tick_ns);
  // Withdraws what the messages between two clocks prove.
  void drop(std::uint32_t a, std::uint32_t b);
  // Finds the tightest bounds of all pairs.
  void close();
  // Again only what the messages of each pair prove by themselves.
  void forget_paths();

  std::size_t size() const { return clocks_.size(); }
  const EvenClock& clock(std::uint32_t c) const { return clocks_[c]; }
  const Way& way(std::uint32_t from, std::uint32_t to) const { return ways_[from * size() + to]; }
  // From their own messages.
  const Way& own_way(std::uint32_t from, std::uint32_t to) const { return own_[from * size() + to]; }
  bool are_joined(std::uint32_t a, std::uint32_t b) const { return !way(a, b).empty() || !way(b, a).empty(); }
  bool are_joined_both_ways(std::uint32_t a, std::uint32_t b) const { return !way(a, b).empty() && !way(b, a).empty(); }
  bool is_possible(std::uint32_t a, std::uint32_t b) const;

  // b's clock less a's, over a's reading.
  ClockBounds bounds(std::uint32_t a, std::uint32_t b) const;
  // The readings of a at which both ways bound b, or the one that there is. Empty, from > to: there are none.
  struct Readings {
    std::int64_t from_ns = 0, to_ns = -1;
  };
  Readings bounded(std::uint32_t a, std::uint32_t b) const;
  // How far the bounds are apart there, in the middle; infinite if there are none.
  Number width(std::uint32_t a, std::uint32_t b) const;

  // The messages of a circle that contradict each other; of several circles, one with few messages. Empty: there is none.
  std::vector<ClockMessage> contradiction() const;
  // Those that bound b's clock when a's reads `at_ns`: from above, then from below.
  std::vector<ClockMessage> proof(std::uint32_t a, std::uint32_t b, std::int64_t at_ns) const;

 private:
  struct Origin {  // of a corner of a composed way
    std::uint32_t corners[3];
  };

  Way& way(std::uint32_t from, std::uint32_t to) { return ways_[from * size() + to]; }
  bool extend();
  void find_paths();
  void join(std::uint32_t from, std::uint32_t through, std::uint32_t to);
  void set(Way& way, Way points) const;
  std::vector<ClockMessage> messages_of(std::vector<std::uint32_t> origins) const;

  std::vector<EvenClock> clocks_;
  std::vector<Way> ways_, own_;
  // The origin of a point: a message, or, from kComposed on, a corner.
  static constexpr std::uint32_t kComposed = std::uint32_t{1} << 31;
  std::vector<ClockMessage> messages_;
  std::vector<Origin> origins_;
  std::size_t points_max_ = 0;  // of a way
};

}  // namespace dpm
