// Removes what makes a history impossible: messages that are received, by the trace, before they are sent.
//
//      A  o---R1---S2---o          R1 takes what S1 sends, R2 what S2 sends: neither A nor B can begin.
//      B  o---R2---S1---o
//
// A damaged trace has such circles, and so has one assembled from different runs: bytes of a stream were counted wrong,
// and everything after that on the stream is joined to the wrong SEND. One arc of each circle must be removed; its ends
// become `missing`, so that the receiver is assumed not to have waited, and everything else keeps its place. The
// choice, in this order:
//   a message rather than a wait, and a wait rather than the beginning of a process;
//   an inferred arc rather than a proven one;
//   the RECEIVE that is longest before its SEND by their machine's clock;
//   the one whose SEND is furthest ahead in its process.
// Greedy, one circle at a time: fewer arcs might do, but each removed arc is in a circle.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/history/history.hpp"

namespace dpm {

// By how much an event is before its `match`, by the clock of their common machine; 0 if it is not, or if that is not
// known.
using LateBy = std::function<std::int64_t(std::uint32_t event)>;

// Returns how many arcs were removed.
std::uint64_t break_circles(History& history, const LateBy& late_by);

}  // namespace dpm
