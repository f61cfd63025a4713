// The time that a simulation has reached, by the clock of the machine that is furthest: what a recorder of it takes for its
// own clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/event_source.hpp"

namespace dpm::cli {

class SimulatedClock : public EventSink {
 public:
  // The sink gets the same events, and may ask for the time while it does.
  void pass_to(EventSink& sink) { sink_ = &sink; }
  std::int64_t now_ns() const { return now_ns_; }

  void on_begin(const TraceInfo& info) override { sink_->on_begin(info); }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) now_ns_ = std::max(now_ns_, event.local_time.ns);
    sink_->on_events(batch);
  }
  void on_end(const LossReport& losses) override { sink_->on_end(losses); }

 private:
  EventSink* sink_ = nullptr;
  std::int64_t now_ns_ = 0;
};

}  // namespace dpm::cli
