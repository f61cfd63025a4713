// How long a server that answers several requests at once waits for the last of them.
//
//   server   R a ─── wait ─── R b ─── wait ─── R c  ══work══  S a S b S c
//
// In the trace it always answered as many. Whether it has a timer, after which it would answer fewer, the trace does not show;
// but if it has one, that is longer than the longest of these waits in the trace. So a prediction in which no wait is longer
// holds with such a timer as well as without it. One with a longer wait may be wrong: that could end a batch, its clients would
// then come at other times, and each batch after it may be split, too.
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"

namespace dpm {

// The work of the batches that `process` may have in addition in the prediction: as many again, if a wait is longer than any in
// the trace, or none. `traced`: the schedule of the traced placement.
double possible_batches_ns(const History& history, std::uint32_t process, const Schedule& predicted,
                           const Schedule& traced);

}  // namespace dpm
