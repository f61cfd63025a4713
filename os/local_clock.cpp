#include "os/local_clock.hpp"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

namespace dpm {
namespace {

std::int64_t added_by_namespace_ns() {
  static const std::int64_t kOffset_ns = [] {
    std::ostringstream text;
    text << std::ifstream("/proc/self/timens_offsets").rdbuf();
    return namespace_offset_ns(text.str().c_str());
  }();
  return kOffset_ns;
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// "monotonic      500000         0"
std::int64_t namespace_offset_ns(const char* text) {
  constexpr const char* kLabel = "monotonic";
  const char* at = std::strstr(text, kLabel);
  if (at == nullptr) return 0;
  char* end = nullptr;
  const std::int64_t seconds = std::strtoll(at + std::strlen(kLabel), &end, 10);
  return seconds * 1'000'000'000 + std::strtoll(end, nullptr, 10);
}

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
  return offset_ns + added_by_namespace_ns();
}

std::int64_t steady_clock_ns() { return clock_ns(CLOCK_MONOTONIC) - added_by_namespace_ns(); }

}  // namespace dpm
