// Division that rounds towards minus infinity, for buckets of times: a clock may begin before its zero.
#pragma once

#include <cstdint>

namespace dpm {

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by != 0 && value < 0 ? 1 : 0);
}

}  // namespace dpm
