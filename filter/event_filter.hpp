// The filter of a stream of Events: applies selection rules and passes what they keep to a RecordSink (normally a
// TraceWriter).
//
// Several filters may share one stream: the events of process p go to filter TraceInfo::processes[p].filter. Every
// event that is dropped is counted: seen = kept + filtered + lost, exactly.
#pragma once

#include <string>
#include <vector>

#include "filter/rules.hpp"
#include "model/event_source.hpp"
#include "trace/record_sink.hpp"

namespace dpm {

class EventFilter : public EventSink {
 public:
  // One rule set per TraceInfo::filters, all compiled for event_layouts(), or for its beginning: other events are not kept. `sink` must
  // outlive the filter.
  EventFilter(std::vector<RuleSet> rules, RecordSink& sink);

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  const Ledger& ledger() const { return ledger_; }              // complete after on_end()
  std::uint64_t filtered() const { return received_ - kept_; }  // so far
  // The ledger as it would be if the source ended now with this report.
  Ledger ledger_after(const LossReport& losses) const;

 private:
  std::vector<RuleSet> rules_;
  RecordSink* sink_;
  const TraceInfo* info_ = nullptr;
  std::vector<Verdict> verdicts_;
  std::uint64_t received_ = 0, kept_ = 0;
  Ledger ledger_;
};

// What a TraceWriter needs to write what these filters keep. Names and rules are by filter, in the same order.
TraceDescription describe_events(const std::vector<std::string>& filter_names, const std::vector<RuleSet>& rules);

}  // namespace dpm
