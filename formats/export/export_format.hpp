// A format of another tool, which `dpm export` can write.
//
// An Exporter is one more sink of a trace's events: it sees them as the analyses do, with streams already turned into
// messages. It writes while it reads. What it keeps is bounded by the trace's names and the messages in flight; the
// formats that need more say so in their headers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/export/time_axis.hpp"
#include "model/event_source.hpp"

namespace dpm {

class Exporter : public EventSink {
 public:
  void on_end(const LossReport& /*losses*/) override {}

  // Called once, after on_end(): writes what stands at the end, among it what the trace has lost. `info` and `ledger`
  // are complete. The error is the first one of the output.
  virtual Result<void> finish(const TraceInfo& info, const Ledger& ledger) = 0;
};

struct ExportOptions {
  bool threads = false;  // each thread by itself, where the format has no threads of a process
};

struct ExportFormat {
  std::string_view name;     // as in --to
  std::string_view summary;  // what it is and which tool reads it
  bool to_stdout = true;     // false: needs a file
  bool has_times = true;     // false: `time` is empty, and the trace need not be read for it
  // Writes `path`, which does not exist; an empty path is standard output. `time` must outlive the exporter.
  Result<std::unique_ptr<Exporter>> (*start)(const std::string& path, const TimeAxis& time,
                                             const ExportOptions& options) = nullptr;
};

}  // namespace dpm
