// The results of a live program in bounded memory, from its events as they come: counts, pairs, sizes, waits, queues, and what each
// process and pair did over time. They are those that the commands compute from a trace of the same events; analysis/messages says where
// they may differ, and the ledger then warns of it.
//
// Memory: fixed for events that wait to be settled, the curves of LevelsOptions, and some kilobytes for each row of a process
// (analysis/messages/process_slots.hpp) and each pair.
#pragma once

#include <span>

#include "analysis/levels/levels.hpp"
#include "analysis/messages/streamed_messages.hpp"
#include "analysis/messages/streamed_queues.hpp"
#include "analysis/queues/process_waits.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "model/event_source.hpp"
#include "model/trace_growth.hpp"

namespace dpm::cli {

class ResultsRecorder : public EventSink, public GrowthSink {
 public:
  static constexpr std::size_t kLevelsBytes = std::size_t{8} << 20;

  ResultsRecorder();

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override { messages_.on_growth(growth); }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // ---- at any time; what waits to be settled is missing until on_end()

  // The tables of the rows that the results name.
  TraceInfo info() const;
  const StatisticsAnalysis& statistics() const { return statistics_; }
  StatisticsAnalysis& statistics() { return statistics_; }
  QueueAnalysis& queues() { return queues_; }
  ProcessWaits& waits() { return waits_; }
  const LevelsAnalysis& levels() const { return levels_; }
  std::uint64_t events() const { return events_; }
  std::vector<std::string> notes() const;

 private:
  struct AsPerformed : EventSink {
    explicit AsPerformed(ResultsRecorder& recorder) : of(recorder) {}
    void on_begin(const TraceInfo& rows) override;
    void on_events(std::span<const Event> batch) override;
    void on_end(const LossReport& losses) override;
    ResultsRecorder& of;
  };
  struct Messages : EventSink {
    explicit Messages(ResultsRecorder& recorder) : of(recorder) {}
    void on_begin(const TraceInfo& rows) override;
    void on_events(std::span<const Event> batch) override;
    void on_end(const LossReport& losses) override;
    ResultsRecorder& of;
  };

  AsPerformed as_performed_{*this};
  Messages resolved_{*this};
  StreamedMessages messages_{as_performed_, resolved_};
  StatisticsAnalysis statistics_;
  QueueAnalysis queues_;
  StreamedQueues streamed_queues_{messages_, queues_};
  ProcessWaits waits_;
  LevelsAnalysis levels_;
  std::uint64_t events_ = 0, unplayed_ = 0;
};

}  // namespace dpm::cli
