// What the meter hands on: finished events, and what the numbers in them stand for.
//
// The meter gives out ids while calls wait; names are told later, by the thread that feeds the sink, so that no call
// waits for it and no table is read while it grows.
#pragma once

#include <vector>

#include "model/event.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

struct RecordBatch {
  TraceGrowth growth;
  std::vector<Event> events;

  bool empty() const { return events.empty() && growth.empty(); }
};

}  // namespace dpm
