// What a viewer should know before trusting the numbers, or look at first, in plain words, with what to do about it.
#pragma once

#include <string>
#include <vector>

#include "answers/live/live_recording.hpp"
#include "answers/live/whole_trace.hpp"

namespace dpm::cli {

struct RunWarning {
  std::string text, advice;
};

// `whole`: null while it is not known.
std::vector<RunWarning> run_warnings(const LiveRecording& recording, const WholeFindings* whole);

}  // namespace dpm::cli
