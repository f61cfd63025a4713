// How much of a recording stays on disk: what came in the last `length`, by the recorder's clock. The clock of a test, or
// of a simulation, is passed in.
#pragma once

#include <cstdint>
#include <functional>

#include "model/time.hpp"
#include "os/local_clock.hpp"

namespace dpm {

// Nanoseconds since any instant; never runs backwards.
using RecorderClock = std::function<std::int64_t()>;

struct TraceWindow {
  Duration length;
  RecorderClock clock = steady_clock_ns;
};

// A segment holds at most this part of the window, so that at most 9/8 of the window is on disk.
inline constexpr std::int64_t kSegmentsOfWindow = 8;

}  // namespace dpm
