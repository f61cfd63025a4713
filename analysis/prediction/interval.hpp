// The interval on a prediction: how far the truth may be from it, by what the trace leaves open.
//
// A trace says what each message cost in its own order. Where the prediction has messages in another order, it leaves
// open whether the work belongs to the message and moves with it, as arrival order has it. A process that draws, counts
// or caches as it goes along would do something else; no trace of one run can tell. So the target is replayed with
// alternatives (alternatives.hpp), in which every process that meets its messages in another order is of the one kind
// or of the other. kDeviations times the root mean square of the differences is the interval's reach to each side.
//
// Where all meet their messages in the trace's order, nothing is open, and only rounding is left: a nanosecond an
// event. What the replay misses on the traced placement (identity and clock error) it will miss elsewhere, and is
// added.
#pragma once

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

struct Interval {
  double low_P = 0, high_P = 0;
  double low_elapsed_s = 0, high_elapsed_s = 0;
};

// A prediction in arrival or role order.
struct Predicted {
  Order order = Order::arrival;
  const Roles& roles;
  double P = 0;
  double elapsed_s = 0;
};

// `known_error`: relative, on the traced placement.
Interval find_interval(const History& history, const Target& target, const Predicted& predicted, double known_error);

}  // namespace dpm
