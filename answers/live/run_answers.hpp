// The answers about the run as a whole: what there is (`describe`), how it goes (`overview`).
#pragma once

#include <memory>

#include "answers/live/best_curve.hpp"
#include "answers/live/live_recording.hpp"
#include "answers/live/whole_trace.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

struct LiveState {
  std::string source;  // what the viewer was started with
  std::uint64_t version = 0;
  std::string dpm;                  // version
  bool is_analysed = false;         // as a whole, to its end
  std::string no_predictions = {};  // why there are none; empty: there are, or it is not known yet
};

// "recording", "ended" or "cut off".
const char* state_name(const LiveRecording& recording);

// A version of a trace, as answers carry it ("as_of").
struct TraceVersion {
  std::uint64_t events = 0;
  double to_s = 0;
  const char* state = "ended";
  bool is_final = true;
};
view::Json version_json(const TraceVersion& version);

view::Answer describe_answer(const LiveRecording& recording, const LiveState& state);
// `whole`: null while it is not known.
view::Answer overview_answer(const view::Json& params, const LiveRecording& recording, const WholeFindings* whole,
                             const BestCurve& best);
// The event of a process that is nearest to a moment, or strictly before or after it: {"process", "at_s", "direction"}.
Result<view::Answer> event_at_answer(const view::Json& params, LiveRecording& recording);

}  // namespace dpm::cli
