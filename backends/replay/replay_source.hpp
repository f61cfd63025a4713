// A recorded trace as a source of events: the small example to copy when you write a source of your own. It opens what
// it reads, tells the sink what the numbers stand for, pushes batches, and ends with what is missing.
#pragma once

#include <memory>
#include <string>

#include "model/event_source.hpp"

namespace dpm {

class TraceReader;

class ReplaySource : public EventSource {
 public:
  explicit ReplaySource(std::string trace_directory);
  ~ReplaySource() override;

  // Fails only if the directory is not a trace. Damage inside it is a loss in the report, never a failure. May be called
  // again: a trace whose recorder removes what is old has the same events then.
  Result<void> run(EventSink& sink) override;

  // After run(): what the recording said of itself, corrected by what is missing from the directory.
  const Ledger& ledger() const { return ledger_; }
  const TraceInfo& info() const { return info_; }

 private:
  std::string directory_;
  std::unique_ptr<TraceReader> reader_;
  Ledger ledger_;
  TraceInfo info_;
};

}  // namespace dpm
