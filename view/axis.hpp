// Axis ticks at round numbers, and the mapping from values to pixels.
#pragma once

#include <string>
#include <vector>

namespace dpm::view {

struct Axis {
  double from = 0, to = 1;  // both are ticks
  double step = 1;
  std::vector<double> ticks;

  // 0 at `from`, 1 at `to`.
  double at(double value) const { return (value - from) / (to - from); }
  std::string label(double tick) const;
};

// Covers [low, high] with about `wanted` steps of 1, 2 or 5 times a power of ten. With `whole`, steps are at least 1.
Axis round_axis(double low, double high, int wanted, bool whole = false);

// Only the ticks in [low, high]; the axis ends exactly at `low` and `high`.
Axis exact_axis(double low, double high, int wanted);

}  // namespace dpm::view
