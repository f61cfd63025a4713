// The options of all commands that build a history graph: which processes are the computation, and how time outside
// counts.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "cli/input/trace_input.hpp"

namespace dpm::cli {

struct HistoryOptions {
  std::vector<std::string> processes;  // empty: those that the trace marks as the computation
  bool all_processes = false;          // every process of the trace, users too
  bool external_time = false;

  void describe(Options& options);
  Computation computation() const;
};

struct TraceHistory {
  TraceInput input;
  History history;
};

// `more` gets the same events.
Result<TraceHistory> read_history(const std::string& trace, const HistoryOptions& options,
                                  std::vector<EventSink*> more = {}, TraceReading* reading = nullptr);

// By a builder that the caller has set up.
Result<TraceHistory> read_history(const std::string& trace, HistoryBuilder& builder, TraceReading* reading,
                                  std::vector<EventSink*> more = {});

// `problem` with the name of the trace, and how much of the trace is lost, which may be the reason.
Error about_trace(const TraceInput& input, const Error& problem);

void print_history_warnings(const History& history, Terminal& terminal);

}  // namespace dpm::cli
