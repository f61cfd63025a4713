// The whole nanosecond an instant belongs to, for instants that are computed.
//
// Processes that share a processor in pairs end at exactly half nanoseconds, again and again, and a clock kept in
// doubles shows them a little early or a little late. Rounded to the nearest, two clocks that differ in the fifteenth
// digit would give different nanoseconds, a message would arrive first here and last there, and everything after that
// would differ. The limit therefore lies a little below the half, where small fractions do not occur.
#pragma once

#include <cmath>
#include <cstdint>

namespace dpm {

inline std::int64_t whole_ns(double ns) {
  constexpr double kLimit = .4956789;
  return static_cast<std::int64_t>(std::floor(ns + (1 - kLimit)));
}

}  // namespace dpm
