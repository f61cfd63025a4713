// Where a filter sends what it keeps: normally a TraceWriter.
#pragma once

#include <span>

#include "model/event.hpp"
#include "model/ledger.hpp"
#include "model/trace_info.hpp"
#include "trace/record_class.hpp"

namespace dpm {

// What became of one event.
struct Verdict {
  std::uint16_t filter = 0;            // the filter that decided: TraceInfo::filters
  ClassIndex record_class = kNotKept;  // in that filter's classes
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Called once, first. As in EventSink, `info` grows while records arrive and is valid until on_end() has returned.
  virtual void on_begin(const TraceInfo& info) = 0;

  // verdicts[i] belongs to events[i]; events with kNotKept are to be skipped. Both are valid only during the call.
  virtual void on_records(std::span<const Event> events, std::span<const Verdict> verdicts) = 0;

  // Called once, last.
  virtual void on_end(const Ledger& ledger) = 0;
};

}  // namespace dpm
