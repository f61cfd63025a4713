// True time: what the simulator alone knows. No process, meter or analysis can see it; validation compares with it.
// Nanoseconds since the simulation began. A type of its own, so that it can never be mixed up with a machine's
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
