// Passes events on to a trace, and brings the trace on disk up to date from time to time, so that one can look at a
// program that is still running, and little is lost if this process is killed.
//
// Events come from one thread; all else may be asked from any.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "filter/event_filter.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {

class RecordingSink : public EventSink, public GrowthSink {
 public:
  RecordingSink(EventFilter& filter, TraceWriter& writer, bool immediate)
      : filter_(filter), writer_(writer), immediate_(immediate) {}

  std::uint64_t events() const { return events_; }
  void set_immediate(bool on) { immediate_ = on; }
  // The trace on disk is complete as far as it goes, until more comes. `losses.seen` counts what was lost.
  Ledger complete_so_far(LossReport losses);

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

 private:
  using Clock = std::chrono::steady_clock;

  EventFilter& filter_;
  TraceWriter& writer_;
  std::atomic<bool> immediate_;
  std::atomic<std::uint64_t> events_{0};
  std::mutex mutex_;  // of filter and writer
  Clock::time_point due_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace dpm::cli
