// Passes events on to a trace and updates the trace on disk from time to time, so that the trace of a running program can
// be read, and little is lost if this process is killed.
//
// Events come from one thread; all other methods may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "cli/meter/flush_timer.hpp"
#include "cli/meter/live_listener.hpp"
#include "filter/event_filter.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {

class RecordingSink : public EventSink, public GrowthSink {
 public:
  // `chosen`: why this source records; goes into TraceInfo::source. Empty: nothing was chosen. `listener`, if there is one, gets the
  // same events.
  RecordingSink(EventFilter& filter, TraceWriter& writer, bool immediate, std::string chosen,
                LiveListener* listener = nullptr)
      : filter_(filter), writer_(writer), chosen_(std::move(chosen)), listener_(listener), immediate_(immediate) {}

  std::uint64_t events() const { return events_; }
  void set_immediate(bool on) { immediate_ = on; }
  // Readable when flush() should be called; -1: never.
  int flush_fd() const { return timer_.fd(); }
  // The events of the last packet reach the disk.
  void flush();
  // So do the names.
  void checkpoint();
  // Makes the trace on disk complete until the next event arrives. `losses.seen` counts what was lost.
  Ledger complete_so_far(LossReport losses);

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

 private:
  using Clock = std::chrono::steady_clock;

  EventFilter& filter_;
  TraceWriter& writer_;
  const std::string chosen_;
  TraceInfo info_;  // what the trace begins with
  LiveListener* listener_;
  std::atomic<bool> immediate_;
  std::atomic<std::uint64_t> events_{0};
  std::mutex mutex_;  // of filter and writer
  FlushTimer timer_;
  bool ended_ = false;
  Clock::time_point due_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace dpm::cli
