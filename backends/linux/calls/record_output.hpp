// What the meter hands on: finished events, and what the ids in them stand for.
//
// The meter assigns ids while calls wait. The thread that feeds the sink passes the names on later, so that no call
// waits for the sink, and no table is read while it grows.
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
