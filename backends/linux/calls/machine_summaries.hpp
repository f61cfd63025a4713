// SUMMARYs of the machine at an interval (1988 paper V.B): what /proc says of it, as events of the meter itself, in the same stream as
// those of the program.
//
// The first reading is where counted quantities begin, so each SUMMARY covers the time since the one before, and those of a
// run add up to what happened in it. A reading that comes late covers more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/event.hpp"
#include "model/machine_quantity.hpp"
#include "model/time.hpp"

namespace dpm {

class MachineSummaries {
 public:
  explicit MachineSummaries(std::optional<Duration> interval) : interval_(interval) {}

  bool is_wanted() const { return interval_.has_value(); }
  // The values should be read now.
  bool is_due(std::int64_t now_ns) const { return interval_ && now_ns >= due_ns_; }
  // Events without their process, machine and load; none from the first reading.
  std::vector<Event> take(const MachineValues& now, LocalTime time, std::int64_t now_ns);

 private:
  std::optional<Duration> interval_;
  std::int64_t due_ns_ = INT64_MIN;
  std::optional<MachineValues> before_;
  LocalTime since_;
};

}  // namespace dpm
