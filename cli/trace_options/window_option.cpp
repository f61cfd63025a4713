#include "cli/trace_options/window_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace dpm::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 5> kUnits = {{{"ms", .001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}}};

// Recorders write what waits in memory five times a second; a segment is an eighth of a window.
constexpr double kShortestS = .1, kLongestS = 365 * 86'400.0;

}  // namespace

Result<Duration> window_from(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  const std::string_view name = std::string_view(text).substr(digits);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) { return known.name == name; });
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || unit == kUnits.end())
    return Error{fmt::format("'{}' is not a time: a number with its unit, such as 60s, 500ms, 5m, 12h or 7d", text)};
  const double seconds = value * unit->seconds;
  if (!(seconds >= kShortestS && seconds <= kLongestS))
    return Error{fmt::format("a window of {} is not possible: from 100ms to 365d", text)};
  return Duration::from_seconds(seconds);
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
