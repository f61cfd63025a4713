// Records a live program into a trace directory: the common part of dpm meter and dpm acquire.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/meter/inside_recording.hpp"
#include "cli/meter/live_listener.hpp"
#include "filter/rules.hpp"
#include "model/ledger.hpp"
#include "model/metering_method.hpp"
#include "model/time.hpp"
#include "trace/trace_form.hpp"

namespace dpm::cli {

// What to record, checked before anything is started.
struct RecordingPlan {
  MeterFlags flags = MeterFlags::all();
  std::vector<RuleSet> rules;  // of the only filter
  bool callers = false;        // see MeterOptions
  bool whole_cpu_time = false;
  std::string chosen;                        // how it is metered, and why: SourceChooser::Choice::reason
  TraceForm form;                            // of the trace
  std::unique_ptr<InsidePlan> inside;        // events inside programs too
  std::optional<Duration> summary_interval;  // between SUMMARYs of the machine; none: without them
};

// `flags` as in --flags: a list that names no event to add applies to all events. `templates` is a file of selection
// rules. Empty: everything is metered and kept.
Result<RecordingPlan> plan_recording(const std::string& flags, const std::string& templates,
                                     std::optional<Duration> summary_interval = std::nullopt);

struct Recorded {
  Ledger ledger;
  MeterSummary meter;
  bool stopped = false;  // from outside, before the program had ended
  std::string failure;   // why the recording ended early; the trace has what was recorded until then
};

// A process that still runs after the command itself has ended.
struct ProcessLeft {
  std::uint32_t pid = 0;
  std::string name;
};

struct RecordingSurroundings {
  std::string trace;                 // the directory to make
  std::string output;                // shown by `dpm list`; empty: no files are kept
  std::vector<int> stop_signals;     // end the metering instead of this process
  std::optional<Duration> limit;     // ends it after this time
  LiveListener* listener = nullptr;  // gets what was metered before the filter has selected
  // Called at most once, from another thread, when the command has ended, but these processes and the metering go on.
  // The trace on disk is complete so far.
  std::function<void(const Recorded& so_far, const std::vector<ProcessLeft>&)> on_left_behind;
};

// Meters until the last process of the program has ended, one of the signals arrives, or `dpm stop` asks for it. An error
// means that nothing was recorded.
Result<Recorded> record(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around);

}  // namespace dpm::cli
