// What gets the events of a program while it is metered, beside the trace or instead of it.
#pragma once

#include <cstdint>
#include <functional>

#include "model/event_source.hpp"
#include "model/trace_growth.hpp"

namespace dpm::cli {

class LiveListener : public EventSink, public GrowthSink {
 public:
  // Before the first event. `lost_events` may be asked from any thread until end() has returned.
  virtual void begin(std::function<std::uint64_t()> lost_events) = 0;
  // The source has ended, or failed: nothing more comes.
  virtual void end() = 0;
};

}  // namespace dpm::cli
