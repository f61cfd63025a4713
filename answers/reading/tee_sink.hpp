// Copies one stream of events to several sinks, so that a trace is read once for any number of analyses.
#pragma once

#include <utility>
#include <vector>

#include "model/event_source.hpp"

namespace dpm::cli {

class TeeSink : public EventSink {
 public:
  explicit TeeSink(std::vector<EventSink*> sinks) : sinks_(std::move(sinks)) {}

  void on_begin(const TraceInfo& info) override {
    for (auto* sink : sinks_) sink->on_begin(info);
  }
  void on_events(std::span<const Event> batch) override {
    for (auto* sink : sinks_) sink->on_events(batch);
  }
  void on_end(const LossReport& losses) override {
    for (auto* sink : sinks_) sink->on_end(losses);
  }

 private:
  std::vector<EventSink*> sinks_;
};

}  // namespace dpm::cli
