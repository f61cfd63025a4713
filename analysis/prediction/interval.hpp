// The interval of a prediction: how far the truth may be from it, by what the trace leaves open.
//
// A trace has the cost of each message in its own order. Where the prediction has messages in another order, the trace
// leaves open whether the work belongs to the message and moves with it, as arrival order assumes. A process that draws
// random numbers, counts or caches would do something else; a trace of one run cannot tell. So the target is replayed
// with alternatives (alternatives.hpp), in which every process that takes its messages in another order is of one kind
// or the other. kDeviations times the root mean square of the differences is the interval's reach to each side.
//
// If the trace has what messages do not show (hidden_state.hpp), more alternatives have it; those of the two kinds that differ
// more from the prediction count.
//
// Alternatives in which messages go to other receivers count only if the replay with the receivers of the trace, made in the same
// way, is the prediction.
//
// Rules that the trace does not exclude (InferredBehaviour) are replayed, too. The interval contains their results, if no answer precedes
// its request there.
//
// Where all take their messages in the trace's order, nothing is open, and only rounding is left: a nanosecond per
// event. The error of the replay on the traced placement (identity and clock error) is expected elsewhere, too, and is
// added.
#pragma once

#include "analysis/behaviour/hidden_state.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "analysis/prediction/causality_check.hpp"

namespace dpm {

struct Interval {
  double low_P = 0, high_P = 0;
  double low_elapsed_s = 0, high_elapsed_s = 0;
};

// A prediction in arrival or role order.
struct Predicted {
  Order order = Order::arrival;
  const Roles& roles;
  const DestinationChoices& choices;  // InferredBehaviour::choices
  const HiddenState& hidden;
  double P = 0;
  double elapsed_s = 0;
  bool is_the_run = false;  // a simulated run on its own placement: it would do the same again, so that nothing is open
  std::vector<Roles> alternatives = {};  // the trace does not exclude them: their results are in the interval
};

// `known_error`: relative, on the traced placement.
Interval find_interval(const History& history, const Target& target, const Predicted& predicted,
                       const CausalityCheck& causality, double known_error);

}  // namespace dpm
