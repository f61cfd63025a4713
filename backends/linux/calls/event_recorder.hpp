// Makes events of calls, and keeps the finished ones, with the names they need, until the supervisor takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/linux/calls/call.hpp"
#include "backends/linux/calls/record_output.hpp"

namespace dpm {

class EventRecorder {
 public:
  // An event of the call's thread, at the call's time: not earlier than the thread's last event.
  Event event_of(const Call& call, EventType type) const;
  // Returns the event's number in its thread, or kNoEvent if the thread's flags leave its type out.
  // `end`: where the operation is that will finish the event.
  std::uint64_t record(const Call& call, const Event& event, bool finished = true, FlowEnd end = {});

  // Everything finished since the last time.
  RecordBatch take();
  std::size_t finished() const { return output_.ready.size(); }

  TraceGrowth& growth() { return growth_; }
  ThreadOutput& output() { return output_; }
  // Threads with events that are not finished.
  const std::vector<MeteredThread*>& waiting() const { return output_.waiting; }

 private:
  TraceGrowth growth_;
  ThreadOutput output_;
};

}  // namespace dpm
