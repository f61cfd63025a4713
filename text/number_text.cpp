#include "text/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dpm {

std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

std::string significant(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string seconds_text(double seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude == 0) return "0 s";
  if (magnitude < 1e-6) return fixed(seconds * 1e9, 0) + " ns";
  if (magnitude < 1e-3) return fixed(seconds * 1e6, 1) + " us";
  if (magnitude < 1) return fixed(seconds * 1e3, 2) + " ms";
  return fixed(seconds, 2) + " s";
}

std::string percent(double fraction, int digits) { return fixed(fraction * 100, digits) + " %"; }

std::string signed_percent(double fraction, int digits) {
  const std::string text = percent(fraction, digits);
  const bool rounds_to_zero = text.find_first_of("123456789") == std::string::npos;
  if (rounds_to_zero) return percent(0, digits);
  return fraction > 0 ? "+" + text : text;
}

}  // namespace dpm
