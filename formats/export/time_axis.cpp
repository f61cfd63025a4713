#include "formats/export/time_axis.hpp"

#include <algorithm>
#include <limits>

namespace dpm {
namespace {

constexpr LocalTime kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace

TimeAxis::TimeAxis(const Clocks& clocks, const std::vector<LocalTime>& first)
    : common_(clocks), relations_(clocks.relations) {
  begin_ns_.assign(std::max(first.size(), clocks.tick_ns.size()), kNever.ns);
  for (std::size_t m = 0; m < first.size(); ++m) {
    if (first[m] == kNever) continue;
    const MachineId machine{static_cast<std::uint16_t>(m)};
    std::int64_t& begin = begin_ns_.at(common_.reference_of(machine).value);
    begin = std::min(begin, common_.at(machine, first[m]).ns);
  }
}

std::int64_t TimeAxis::ns(MachineId machine, LocalTime time) const {
  if (machine.value >= begin_ns_.size()) return 0;
  const std::int64_t begin = begin_ns_[common_.reference_of(machine).value];
  return begin == kNever.ns ? 0 : common_.at(machine, time).ns - begin;
}

void TimeSurvey::on_events(std::span<const Event> batch) {
  clocks_.on_events(batch);
  for (const Event& event : batch) {
    if (event.machine.is_none()) continue;
    if (event.machine.value >= first_.size()) first_.resize(event.machine.value + std::size_t{1}, kNever);
    first_[event.machine.value] = std::min(first_[event.machine.value], event.local_time);
  }
}

}  // namespace dpm
