// The machine's local time, as an offset to the clock that is never set. Costs about 2 us.
#pragma once

#include <cstdint>

namespace dpm {

std::int64_t local_clock_offset_ns();
std::int64_t steady_clock_ns();

}  // namespace dpm
