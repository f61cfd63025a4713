// The history graph of a trace on disk.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "answers/reading/trace_input.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct TraceHistory {
  TraceInput input;
  History history;
};

// `more` gets the same events.
Result<TraceHistory> read_history(const std::string& trace, const Computation& computation,
                                  std::vector<EventSink*> more = {}, TraceReading* reading = nullptr);

// By a builder that the caller has set up.
Result<TraceHistory> read_history(const std::string& trace, HistoryBuilder& builder, TraceReading* reading,
                                  std::vector<EventSink*> more = {});

// `problem` with the name of the trace, and how much of the trace is lost, which may be the reason.
Error about_trace(const TraceInput& input, const Error& problem);

void print_history_warnings(const History& history, Terminal& terminal);

}  // namespace dpm::cli
