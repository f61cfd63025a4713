#include "os/local_clock.hpp"

#include <ctime>

namespace dpm {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// The local clock is read between two readings of the steady clock that are as close as possible, so that several
// meters of one machine agree, however busy it is.
std::int64_t local_clock_offset_ns() {
  constexpr int kReadings = 20;
  std::int64_t offset_ns = 0, nearest_ns = INT64_MAX;
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t before_ns = clock_ns(CLOCK_MONOTONIC), local_ns = clock_ns(CLOCK_REALTIME);
    const std::int64_t between_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
    if (between_ns >= nearest_ns) continue;
    nearest_ns = between_ns;
    offset_ns = local_ns - before_ns - between_ns / 2;
  }
  return offset_ns;
}

std::int64_t steady_clock_ns() { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace dpm
