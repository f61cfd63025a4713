// The events of a computation, one line each, in the order of `analysis/clocks/common_time.hpp`. Written as they are
// formatted, for a trace may have millions.
#pragma once

#include <functional>
#include <ostream>
#include <span>

#include "analysis/clocks/common_time.hpp"

namespace dpm::cli {

struct EventList {
  const TraceInfo& info;
  std::span<const Event> events;
  const CommonTime& time;
  const CommonOrder& order;
  std::function<bool(const Event&)> is_wanted;
};

// Machines between whom no messages lead have no time in common: each group has a part of its own, which says whose
// clock its times are. They are counted from the first event of the group, the wanted or another.
void print_events(const EventList& list, std::ostream& out);
// An array; names and units as in the table.
void print_events_json(const EventList& list, std::ostream& out);

}  // namespace dpm::cli
