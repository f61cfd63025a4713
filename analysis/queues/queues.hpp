// Where messages wait (thesis 5.2.2): the length of every process's message queue, and how long each message stood in
// it.
//
// MESSAGEQUEUED adds one, RECEIVE removes one; the two of one message are paired by (sender, channel, sequence). Both
// are events of the receiver, so both times come from one machine's clock, unless the process migrated in between: then
// the wait is not measured, and the case is counted. For a process whose MESSAGEQUEUED was not metered the result has
// no numbers, and is marked so.
//
// Memory: messages now queued, plus a bounded summary for each process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/queues/process_waits.hpp"
#include "analysis/queues/wait_distribution.hpp"
#include "analysis/queues/wait_parts.hpp"
#include "model/divided_sink.hpp"
#include "model/event_source.hpp"
#include "model/message_key.hpp"

namespace dpm {

struct QueueOptions {
  std::size_t lengths_max = 1024;  // distribution: longer queues share the last entry
  std::size_t series_max = 240;    // points of the time series at most; 0: none
};

// The queue during a period, by the clock of the process's machine.
struct QueuePoint {
  LocalTime from;
  Duration width;
  double length_mean = 0;
  std::uint32_t length_max = 0;
};

struct QueueStatistics {
  ProcessId process;
  bool in_computation = true;
  // False: its MESSAGEQUEUED events were not metered, and of the numbers below only `received` is valid.
  bool measured = false;
  std::uint64_t queued = 0, received = 0;

  std::uint32_t length_max = 0;
  double length_mean = 0;               // over time
  double length_mean_by_operation = 0;  // over queue operations, as the thesis computed it
  std::vector<double> time_share;       // [length]: share of the time the queue had it; adds up to 1
  WaitDistribution waits;
  // What the process did during these waits; none: the trace does not say.
  std::optional<WaitParts> meanwhile;
  std::vector<QueuePoint> series;
  Duration observed;  // what the means over time cover

  // Why this may be incomplete.
  std::uint64_t still_queued = 0;             // no RECEIVE seen
  std::uint64_t receives_without_queued = 0;  // paired with nothing; not in any number above
  std::uint64_t waits_across_machines = 0;    // queued on one machine, received on another: wait unknown
  std::uint64_t clock_went_back = 0;          // the machine's clock was set back: that period counts as zero
};

struct Queues {
  std::vector<QueueStatistics> processes;  // those with a MESSAGEQUEUED or RECEIVE, in the order of TraceInfo
  WaitsByProcess own_waits;                // from ProcessWaits, where both are asked for; empty: the trace does not say
  LossReport losses;
  std::vector<std::string> warnings;
};

class QueueAnalysis : public DividedSink {
 public:
  explicit QueueAnalysis(QueueOptions options = {}) : options_(options) {}

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // A queue's messages are all with the part of its process.
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;

  // What is known so far; final after on_end().
  Queues result() const;

 private:
  struct Arrival {
    LocalTime when;
    MachineId machine;
    std::uint64_t ran_ns = 0, ready_ns = kNotMeasured, disk_ns = kNotMeasured;  // the process's sums then
  };
  struct Series {  // aligned buckets that double in width when they no longer fit
    std::int64_t width_ns = 1;
    std::int64_t first_index = 0;
    std::vector<double> length_ns;  // integral of length over time
    std::vector<double> covered_ns;
    std::vector<std::uint32_t> length_max;
  };
  struct Queue {
    bool any = false;
    QueueStatistics statistics;
    std::unordered_map<MessageKey, Arrival, MessageKeyHash> waiting;
    LocalTime last_time;
    MachineId last_machine;
    std::vector<std::uint64_t> time_at_length_ns;
    double length_ns = 0;  // integral of length over time
    std::uint64_t operations = 0;
    double operation_lengths = 0;
    Series series;
    MachineId series_machine;  // the series stays on the first machine: clocks of two machines cannot share an axis
  };

  Queue& queue(ProcessId process);
  void pass_time(Queue& queue, const Event& event);
  static void add_wait(QueueStatistics& statistics, const Arrival& arrival, const Event& receive);
  static void double_width(Series& series);
  void extend_series(Queue& queue, LocalTime from, LocalTime to, std::uint32_t length);
  static void operate(Queue& queue);
  QueueStatistics statistics_of(ProcessId process, const Queue& queue) const;
  void add_warnings(Queues& result) const;

  QueueOptions options_;
  const TraceInfo* info_ = nullptr;
  std::vector<Queue> queues_;           // by process number
  std::vector<QueueStatistics> taken_;  // from other parts
  LossReport losses_;
  std::optional<Queues> final_;  // filled in on_end(), after which `info_` is invalid
};

}  // namespace dpm
