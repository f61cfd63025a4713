// Recording a live program into a trace directory: what dpm meter and dpm acquire share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "filter/rules.hpp"
#include "model/ledger.hpp"
#include "model/metering_method.hpp"

namespace dpm::cli {

// What is recorded, understood before anything is started.
struct RecordingPlan {
  MeterFlags flags = MeterFlags::all();
  std::vector<RuleSet> rules;  // of the one filter
  bool callers = false;        // see MeterOptions
  bool whole_cpu_time = false;
};

// `flags` as in --flags: a list that only takes away, or that names no event, takes away from or adds to all of them.
// `templates` is a file of selection rules. Empty: everything is metered, everything is kept.
Result<RecordingPlan> plan_recording(const std::string& flags, const std::string& templates);

struct Recorded {
  Ledger ledger;
  MeterSummary meter;
  bool stopped = false;  // from outside, before the program had ended
  std::string failure;   // what went wrong with the recording; the trace goes as far as it came
};

// A process that goes on after the command itself has ended.
struct ProcessLeft {
  std::uint32_t pid = 0;
  std::string name;
};

struct RecordingSurroundings {
  std::string trace;              // the directory to make
  std::string output;             // what `dpm list` shows; empty: nothing is kept
  std::vector<int> stop_signals;  // end the metering instead of this process
  // Called at most once, from another thread: the command has ended, these processes go on, and so does the metering.
  // The trace on disk is complete so far.
  std::function<void(const Recorded& so_far, const std::vector<ProcessLeft>&)> on_left_behind;
};

// Meters until the last process of the program has ended, one of the signals comes, or `dpm stop` asks for it. An error
// means that nothing was recorded.
Result<Recorded> record(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around);

}  // namespace dpm::cli
