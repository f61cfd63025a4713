// What the commands that build a history graph share: which processes are the computation, and how time outside counts.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "cli/input/trace_input.hpp"

namespace dpm::cli {

struct HistoryOptions {
  std::vector<std::string> processes;  // empty: those the trace marks as the computation
  bool everybody = false;              // every process of the trace, users too
  bool external_time = false;

  void describe(CLI::App& app);
  Computation computation() const;
};

struct TraceHistory {
  TraceInput input;
  History history;
};

// `more` sees the same events.
Result<TraceHistory> read_history(const std::string& trace, const HistoryOptions& options,
                                  std::vector<EventSink*> more = {});

// `problem` with the trace it is about, and how much of that trace is lost: perhaps that is why.
Error about_trace(const TraceInput& input, const Error& problem);

void print_history_warnings(const History& history, Terminal& terminal);

}  // namespace dpm::cli
