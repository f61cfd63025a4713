// The answers that are drawn over time, from the levels of a recording: docs/live-page.md has the requests. None of them
// reads events, so their cost does not depend on how many there are.
#pragma once

#include "answers/live/best_curve.hpp"
#include "answers/live/live_recording.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

view::Answer traffic_answer(const view::Json& params, const LiveRecording& recording);
Result<view::Answer> series_answer(const view::Json& params, const LiveRecording& recording);

// A part of `overview`: sums and curves of the whole run in a window.
view::Answer run_curves(const view::Json& params, const LiveRecording& recording, const BestCurve& best);

}  // namespace dpm::cli
