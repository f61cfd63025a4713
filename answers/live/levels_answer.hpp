// The request `levels`: sums of a whole run in equal bins of time, by process and by pair: what a file of the page needs in
// order to answer for any part of the run without a server (docs/live-page.md).
#pragma once

#include "answers/live/best_curve.hpp"
#include "answers/live/live_recording.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

view::Answer levels_answer(const view::Json& params, const LiveRecording& recording, const BestCurve& best);

}  // namespace dpm::cli
