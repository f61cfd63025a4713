// A trace that may still be written, as totals at one instant. A viewer makes rates of two instants.
//
// While a program runs, each operation that moves bytes of a stream counts as a message, because where one ends is decided
// by both of its ends (analysis/messages). Of a trace that has ended, read_totals() has the same numbers as `dpm statistics`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "answers/follow/followed_events.hpp"
#include "model/ledger.hpp"
#include "model/result.hpp"

namespace dpm::cli {

// What a process does, by its last event. Nothing is known of one whose last event is neither.
enum class Doing : std::uint8_t { not_known, waits_for_message, ended };

struct TraceTotals {
  Statistics statistics;  // of threads, as metered
  Ledger ledger;
  bool is_over = false;
  double elapsed_s = 0;            // from the first event to the last, on the machine where that is longest
  std::vector<Doing> doing;        // by process number
  std::vector<ProcessId> awaited;  // likewise: whose message it waits for; none: not known, or of several
  std::vector<std::optional<std::uint64_t>> queued;  // by process number: messages in its queue; empty if not metered
};

// The last event of each process.
class LastEvents : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport&) override {}

  const std::vector<Doing>& doing() const { return doing_; }
  // Whose message the process waits for: the one that sent last over the channels that it asked. `info` is the trace's: that of
  // on_begin() may be gone when the events have been read.
  std::vector<ProcessId> awaited(const TraceInfo& info) const;

 private:
  std::vector<Doing> doing_;
  std::vector<std::uint32_t> asked_;  // by process: the set of channels of its last RECEIVECALL
  std::vector<ProcessId> senders_;    // by channel
};

class FollowedTrace {
 public:
  static Result<FollowedTrace> open(const std::string& path);

  // Reads what came since the last call, at most about `events_max` events. True: there may be more already.
  bool read(std::uint64_t events_max);
  TraceTotals totals() const;
  const TraceInfo& info() const { return events_->info(); }  // grows with read()
  bool is_over() const { return events_->is_over(); }

 private:
  explicit FollowedTrace(FollowedEvents events);
  void deliver(std::span<const Event> batch);

  std::unique_ptr<FollowedEvents> events_;  // analyses keep a reference to its tables
  StatisticsAnalysis statistics_;
  QueueAnalysis queues_{{.series_max = 0}};
  LastEvents last_events_;
  std::vector<Event> batch_;
};

struct EndedTrace {
  TraceInfo info;
  TraceTotals totals;
};
Result<EndedTrace> read_totals(const std::string& path);

}  // namespace dpm::cli
