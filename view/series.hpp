// Helpers for charts of several series: the CSS class that colours a series, and the range of the values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace dpm::view {

inline std::string series_class(std::size_t series) { return "s" + std::to_string(series % 6); }

// Of the finite ones among the values.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

}  // namespace dpm::view
