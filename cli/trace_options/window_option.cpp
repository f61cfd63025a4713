#include "cli/trace_options/window_option.hpp"

#include <fmt/format.h>

#include "text/duration_text.hpp"

namespace dpm::cli {
namespace {

// Recorders write what waits in memory five times a second; a segment is an eighth of a window.
constexpr double kShortestS = .1, kLongestS = 365 * 86'400.0;

}  // namespace

Result<Duration> window_from(const std::string& text) {
  const auto window = duration_from(text);
  if (!window) return window.error();
  const double seconds = window->seconds();
  if (!(seconds >= kShortestS && seconds <= kLongestS))
    return Error{fmt::format("a window of {} is not possible: from 100ms to 365d", text)};
  return *window;
}

void WindowOption::describe(Options& options, const std::string& of) {
  options.value("--window", text_, "Keep only about the last TIME of the " + of + ", such as 60s, 500ms or 5m")
      .type_name("TIME")
      .check([](const std::string& text) {
        const auto window = window_from(text);
        return window ? std::string() : window.error().what;
      });
}

std::optional<TraceWindow> WindowOption::window(RecorderClock clock) const {
  if (text_.empty()) return std::nullopt;
  return TraceWindow{window_from(text_).value(), std::move(clock)};
}

}  // namespace dpm::cli
