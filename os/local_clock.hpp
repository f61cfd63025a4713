// The machine's local time, as an offset to the clock that is never set. That clock is the kernel's own: in a time
// namespace it differs from CLOCK_MONOTONIC, and what the kernel announces and records is in it.
#pragma once

#include <cstdint>

namespace dpm {

std::int64_t local_clock_offset_ns();  // costs about 2 us
std::int64_t steady_clock_ns();

// What a time namespace adds to the kernel's clock, from the text of /proc/self/timens_offsets; for tests.
std::int64_t namespace_offset_ns(const char* text);

}  // namespace dpm
