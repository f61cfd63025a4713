// The machine's local time, from a clock that is never set: several meters of one machine agree, and time never goes
// back.
#pragma once

#include <cstdint>

#include "backends/linux/supervisor/process_view.hpp"
#include "model/time.hpp"
#include "os/local_clock.hpp"

namespace dpm {

class MeterClock {
 public:
  MeterClock(const ProcessView& kernel, std::int64_t offset_ns) : kernel_(kernel), offset_ns_(offset_ns) {}

  LocalTime now() const { return at(steady_now_ns()); }
  std::int64_t steady_now_ns() const { return kernel_.steady_ns(); }
  LocalTime at(std::int64_t steady_ns) const { return {steady_ns + offset_ns_}; }
  std::int64_t steady_ns(LocalTime time) const { return time.ns - offset_ns_; }

 private:
  const ProcessView& kernel_;
  const std::int64_t offset_ns_;
};

}  // namespace dpm
