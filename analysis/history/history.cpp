#include "analysis/history/history.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm {

ProcessId History::owner_of(std::uint32_t event) const {
  DPM_CHECK(event < events.size());
  // The last process that begins at or before `event`; empty processes before it begin at the same index.
  const auto after = std::upper_bound(first_event.begin(), first_event.end(), event);
  return ProcessId{static_cast<std::uint32_t>(after - first_event.begin() - 1)};
}

std::uint64_t History::cpu_ns() const {
  std::uint64_t sum = 0;
  for (const auto& event : events) sum += event.cpu_ns;
  return sum;
}

}  // namespace dpm
