// --window: how much of a recording stays on disk, as the commands that record take it.
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "trace/trace_window.hpp"

namespace dpm::cli {

// From 100 ms to a year, as duration_from() reads it. The error says what is expected, and not of which option.
Result<Duration> window_from(const std::string& text);

class WindowOption {
 public:
  void describe(Options& options, const std::string& of);
  bool is_given() const { return !text_.empty(); }

  // What the command line asks for. It has been checked there.
  std::optional<TraceWindow> window(RecorderClock clock = steady_clock_ns) const;

 private:
  std::string text_;
};

}  // namespace dpm::cli
