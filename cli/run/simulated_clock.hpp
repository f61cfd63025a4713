// The time that a simulation has reached, by the clock of the machine that is furthest: what a recorder of it takes for its
// own clock. A simulation gives its events in large batches; they are passed on in pieces, so that the clock advances by steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/event_source.hpp"
#include "model/time.hpp"

namespace dpm::cli {

class SimulatedClock : public EventSink {
 public:
  explicit SimulatedClock(Duration step) : step_ns_(step.ns) {}

  // The sink gets the same events, and may ask for the time while it does.
  void pass_to(EventSink& sink) { sink_ = &sink; }
  std::int64_t now_ns() const { return now_ns_; }

  void on_begin(const TraceInfo& info) override { sink_->on_begin(info); }
  void on_events(std::span<const Event> batch) override {
    while (!batch.empty()) {
      const auto end = std::find_if(batch.begin(), batch.end(),
                                    [&](const Event& event) { return event.local_time.ns >= now_ns_ + step_ns_; });
      const auto piece = batch.first(static_cast<std::size_t>(end - batch.begin()));
      if (!piece.empty()) sink_->on_events(piece);
      batch = batch.subspan(piece.size());
      if (!batch.empty()) now_ns_ = batch.front().local_time.ns;
    }
  }
  void on_end(const LossReport& losses) override { sink_->on_end(losses); }

 private:
  const std::int64_t step_ns_;
  EventSink* sink_ = nullptr;
  std::int64_t now_ns_ = 0;
};

}  // namespace dpm::cli
