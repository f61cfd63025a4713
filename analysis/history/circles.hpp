// Takes out what makes a history impossible: messages that their receivers have, by the trace, before they are sent.
//
//      A  o---R1---S2---o          R1 takes what S1 sends, R2 what S2 sends: neither A nor B can begin.
//      B  o---R2---S1---o
//
// A damaged trace has such circles, and one put together from different runs: bytes of a stream were counted wrong, and
// all that follows on it is joined to the wrong SEND. One arc of each circle has to go; its ends become `missing`, so
// that the receiver is taken not to have waited, and everything else keeps its place. The choice, in this order:
//   a message rather than a wait, and a wait rather than the beginning of a process;
//   an inferred arc rather than a proven one;
//   the RECEIVE that stands longest before its SEND by their machine's clock;
//   the one whose SEND is furthest ahead in what its process does.
// Greedy, a circle at a time: no fewer arcs may do, but each that goes stands in a circle of its own.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/history/history.hpp"

namespace dpm {

// By how much an event stands before its `match`, by the clock of the machine of both; 0 where it does not, or where
// that is not known.
using LateBy = std::function<std::int64_t(std::uint32_t event)>;

// Returns how many arcs are gone.
std::uint64_t break_circles(History& history, const LateBy& late_by);

}  // namespace dpm
