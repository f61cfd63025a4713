// All events of a trace in memory, for commands that look at them more than once.
#pragma once

#include <span>
#include <vector>

#include "model/event_source.hpp"

namespace dpm::cli {

class EventKeeper : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { events_.insert(events_.end(), batch.begin(), batch.end()); }
  void on_end(const LossReport&) override { events_.shrink_to_fit(); }

  std::span<const Event> events() const { return events_; }

 private:
  std::vector<Event> events_;
};

}  // namespace dpm::cli
