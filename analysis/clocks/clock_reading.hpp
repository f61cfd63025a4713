// Sums of clock readings and offsets. A damaged trace has lines between clocks that lead to readings no clock ever has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dpm {

// at + base + more, in nanoseconds, within 146 years of a clock's zero. Of `more` that is not finite, only the sign counts.
inline std::int64_t clock_reading_ns(std::int64_t at_ns, std::int64_t base_ns, long double more_ns) {
  constexpr long double kMost = static_cast<long double>(std::int64_t{1} << 62);
  const long double sum = static_cast<long double>(at_ns) + static_cast<long double>(base_ns) + std::round(more_ns);
  return static_cast<std::int64_t>(std::clamp(std::isnan(sum) ? 0 : sum, -kMost, kMost));
}

}  // namespace dpm
