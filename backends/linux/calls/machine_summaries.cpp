#include "backends/linux/calls/machine_summaries.hpp"

#include <algorithm>
#include <limits>

namespace dpm {

std::vector<Event> MachineSummaries::take(const MachineValues& now, LocalTime time, std::int64_t now_ns) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const bool is_first = !before_;
  std::vector<Event> events;
  const std::int64_t covered_ms = std::max<std::int64_t>(time.ns - since_.ns, 0) / kNsPerMs;
  for (const MachineQuantityKind& kind : kMachineQuantities) {
    const auto number = static_cast<std::size_t>(kind.quantity);
    if (is_first || !now[number] || (kind.is_counted && !(*before_)[number])) continue;
    Event event;
    event.type = EventType::summary;
    event.local_time = time;
    event.code = static_cast<std::uint32_t>(kind.quantity);
    event.sequence = *now[number];
    // A disk that was taken away takes its counts along.
    if (kind.is_counted) event.sequence -= std::min(event.sequence, *(*before_)[number]);
    event.length_bytes =
        static_cast<std::uint32_t>(std::min<std::int64_t>(covered_ms, std::numeric_limits<std::uint32_t>::max()));
    events.push_back(event);
  }
  before_ = now;
  since_ = time;
  const std::int64_t interval_ns = interval_ ? interval_->ns : 0;
  due_ns_ = (is_first ? now_ns : due_ns_) + interval_ns;
  if (due_ns_ <= now_ns) due_ns_ = now_ns + interval_ns;
  return events;
}

}  // namespace dpm
