// True time: nanoseconds since the simulation began. Only the simulator knows it; no process, meter or analysis can see
// it, and validation compares with it. It has a type of its own, so that it cannot be confused with a machine's
// LocalTime.
#pragma once

#include <compare>
#include <cstdint>

#include "model/time.hpp"

namespace dpm {

struct TrueTime {
  std::int64_t ns = 0;

  constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  friend constexpr auto operator<=>(TrueTime, TrueTime) = default;
  friend constexpr Duration operator-(TrueTime a, TrueTime b) { return {a.ns - b.ns}; }
  friend constexpr TrueTime operator+(TrueTime a, Duration b) { return {a.ns + b.ns}; }
};

}  // namespace dpm
