#include "text/duration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace dpm {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 8> kUnits = {
    {{"", 1}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", .001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}}};
constexpr double kLongest_s = 100 * 365 * 86'400.0;  // nanoseconds of it do not overflow

}  // namespace

Result<Duration> duration_from(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  const std::string_view name = std::string_view(text).substr(digits);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) { return known.name == name; });
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || unit == kUnits.end())
    return Error{
        fmt::format("'{}' is not a time: seconds, or a number with its unit, such as 500ms, 5m, 12h or 7d", text)};
  const double seconds = value * unit->seconds;
  if (seconds > kLongest_s) return Error{fmt::format("'{}' is more than 100 years", text)};
  return Duration::from_seconds(seconds);
}

}  // namespace dpm
