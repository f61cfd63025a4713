// Time. A LocalTime is a reading of one machine's clock; two LocalTimes of different machines must never be compared,
// because machines share no clock. A Duration may be used anywhere. The simulator's knowledge of true time has a
// separate type (backends/sim/true_time.hpp) which nothing else can see.
#pragma once

#include <compare>
#include <cstdint>

namespace dpm {

// Nanoseconds, signed.
struct Duration {
  std::int64_t ns = 0;

  static constexpr Duration from_seconds(double seconds) {
    return {static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))};
  }
  constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  constexpr Duration& operator+=(Duration other) {
    ns += other.ns;
    return *this;
  }
};

// One machine's clock, in nanoseconds since that clock's own beginning.
struct LocalTime {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(LocalTime, LocalTime) = default;
  friend constexpr Duration operator-(LocalTime a, LocalTime b) { return {a.ns - b.ns}; }
};

}  // namespace dpm
