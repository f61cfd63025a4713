// Recording a live program into a trace directory: what dpm meter and dpm acquire share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/linux/linux_source.hpp"
#include "filter/rules.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// What is recorded, understood before anything is started.
struct RecordingPlan {
  MeterFlags flags = MeterFlags::all();
  std::vector<RuleSet> rules;  // of the one filter
  bool callers = false;        // see MeterOptions
};

// `flags` as in --flags: a list that only takes away, or that names no event, takes away from or adds to all of them.
// `templates` is a file of selection rules. Empty: everything is metered, everything is kept.
Result<RecordingPlan> plan_recording(const std::string& flags, const std::string& templates);

struct Recorded {
  Ledger ledger;
  MeterSummary meter;
  bool stopped = false;  // by one of `stop_signals`, before the program had ended
  std::string failure;   // what went wrong with the recording; the trace goes as far as it came
};

// Meters until the program has ended or one of `stop_signals` comes, which then does not end this process. `on_ready`
// is called when calls are being served. An error means that nothing was recorded.
Result<Recorded> record(MeteredProgram program, RecordingPlan plan, const std::string& trace_directory,
                        const std::vector<int>& stop_signals, std::function<void()> on_ready);

}  // namespace dpm::cli
