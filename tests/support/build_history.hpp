// A History from events in memory.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm::test {

inline Result<History> try_history(const TraceInfo& info, std::span<const Event> events, Computation computation = {}) {
  HistoryBuilder builder(std::move(computation));
  builder.on_begin(info);
  builder.on_events(events);
  LossReport losses;
  losses.seen = events.size();
  builder.on_end(losses);
  return builder.take();
}

inline History history_of(const TraceInfo& info, std::span<const Event> events, Computation computation = {}) {
  return try_history(info, events, std::move(computation)).value();
}

}  // namespace dpm::test
