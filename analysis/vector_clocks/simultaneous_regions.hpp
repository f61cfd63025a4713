// Simultaneous regions (Spezialetti and Kearns): could two conditions of two processes have been true at once?
//
// No clock can tell. Messages can: a region of one process that ended before another region of another process began (the end
// happened before the begin) was never at once with it. All other pairs were in some order of the events that the
// messages allow: there is a consistent cut in both. Where each region's begin happened before the other's end, every order has
// such a cut, and the two certainly were at once.
//
//     p  ──[ a ]──●────────          possible: the message was sent inside a and received inside b
//                  ╲                  never:    sent after a, received before b
//     q  ───────[ b ●  ]──
//
// These are "possibly" and "definitely" of Cooper and Marzullo, for two regions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/vector_clocks/running_clocks.hpp"

namespace dpm {

// The condition is true from after an event of the process until another one happens.
struct Region {
  Knowledge begin;               // after the event that begins it
  std::optional<Knowledge> end;  // after the event that ends it; none: it was true when the recording ended

  std::uint32_t process() const { return begin.process; }
};

// The earliest consistent cut at which both are true, if they can be: by process, how many of its events are in it.
VectorClock earliest_cut(const Region& a, const Region& b);

struct SimultaneousPairs {
  std::uint64_t pairs = 0;
  std::uint64_t possible = 0;  // includes the certain ones
  std::uint64_t certain = 0;
  // In the lists; the first of `a` for which there is one.
  std::optional<std::pair<std::size_t, std::size_t>> first_possible, first_certain;
};

// All pairs of the regions of two processes. Each list is of one process, in its order, without overlaps. Takes time for
// each region, not for each pair.
SimultaneousPairs simultaneous_pairs(std::span<const Region> a, std::span<const Region> b);

}  // namespace dpm
