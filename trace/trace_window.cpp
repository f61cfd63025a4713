#include "trace/trace_window.hpp"

#include <chrono>

namespace dpm {

std::int64_t steady_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace dpm
