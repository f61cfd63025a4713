// What requests of the page have in common: a window of time and the number of bins it is to be cut into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/levels/machine_offsets.hpp"
#include "answers/live/live_recording.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

struct RequestWindow {
  RunTime from, to;       // [from, to), cut to the run
  std::size_t width = 1;  // bins
  // It has the first, the last moment of the run: then everything before or after is in it too. The last events are in a
  // bin that ends later.
  bool begins_with_run = false, ends_with_run = false;
  bool threads = false;

  double span_s() const { return static_cast<double>(to.ns - from.ns) * 1e-9; }
  // The two edges for sums over the window.
  RunTime sum_from() const;
  RunTime sum_to() const;
};

// A window cut into bins of equal width.
struct WindowBins {
  std::vector<RunTime> edges;  // the first and last are those for sums
  std::vector<double> left_s;
  double step_s = 0;

  // The ends of a bin, which has no events before or after the run.
  RunTime left(std::size_t bin) const { return RunTime::from_seconds(left_s[bin]); }
  RunTime right(std::size_t bin) const { return RunTime::from_seconds(left_s[bin] + step_s); }
};

// At most `most` bins, none finer than the levels.
WindowBins cut(const RequestWindow& window, const LevelsAnalysis& levels, std::size_t most);

// from_s, to_s, width, threads, as view::read_parameters() gives them.
RequestWindow window_of(const view::Json& params, const LiveRecording& recording);

// The process of the trace, or kOutside, that has this number.
Result<ProcessId> process_of(const view::Json& value, const TraceInfo& info);

// Names come from hostile programs; a page shows no more than this of one.
std::string page_text(const std::string& name);

}  // namespace dpm::cli
