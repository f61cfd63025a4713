// The events of a computation, one line each, in the order of `analysis/clocks/common_time.hpp`. Each line is written as
// soon as it is formatted, because a trace may have millions of events.
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
  bool with_clocks = false;  // vector clocks, by process
};

// Machines that no messages connect have no common time: each group of connected machines has its own part, which names
// the machine whose clock it uses. Times are relative to the first event of the group, whether that is listed or not.
void print_events(const EventList& list, std::ostream& out);
// An array with the names and units of the table.
void print_events_json(const EventList& list, std::ostream& out);

}  // namespace dpm::cli
