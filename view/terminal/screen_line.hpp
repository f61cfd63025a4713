// A line of a screen.
#pragma once

#include <cstdint>
#include <string>

namespace dpm::view {

enum class LineStyle : std::uint8_t {
  plain,
  strong,   // what matters most
  heading,  // of a table
  weak,     // hints
  warning,
};

struct ScreenLine {
  std::string text;  // UTF-8 without control characters
  LineStyle style = LineStyle::plain;

  friend bool operator==(const ScreenLine&, const ScreenLine&) = default;
};

struct ScreenSize {
  int columns = 80, rows = 24;
};

}  // namespace dpm::view
