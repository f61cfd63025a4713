#include "answers/reading/trace_history.hpp"

#include <fmt/format.h>

#include "text/printable.hpp"

namespace dpm::cli {

Error about_trace(const TraceInput& input, const Error& problem) {
  std::string text = input.directory + ": " + problem.what;
  const Ledger& ledger = input.ledger;
  if (ledger.lost > 0) {
    text += fmt::format("; {} of the {} events seen are lost", ledger.lost, ledger.seen);
    if (!ledger.losses.empty()) text += fmt::format(" ({})", ledger.losses.front().reason);
  }
  return Error{text};
}

Result<TraceHistory> read_history(const std::string& trace, const Computation& computation,
                                  std::vector<EventSink*> more, TraceReading* reading) {
  HistoryBuilder builder(computation);
  return read_history(trace, builder, reading, std::move(more));
}

Result<TraceHistory> read_history(const std::string& trace, HistoryBuilder& builder, TraceReading* reading,
                                  std::vector<EventSink*> more) {
  more.push_back(&builder);
  auto input = read_trace(trace, std::move(more), reading);
  if (!input) return input.error();
  auto history = builder.take();
  if (!history) return about_trace(*input, history.error());
  return TraceHistory{std::move(*input), std::move(*history)};
}

void print_history_warnings(const History& history, Terminal& terminal) {
  if (history.receives_without_send > 0)
    terminal.err << "warning: " << history.receives_without_send
                 << " RECEIVEs have no SEND in the trace: events are lost\n";
  if (history.sends_without_receive > 0)
    terminal.err << "warning: " << history.sends_without_receive << " SENDs have no RECEIVE in the trace\n";
  for (const auto& warning : history.warnings) terminal.err << "warning: " << printable(warning) << '\n';
}

}  // namespace dpm::cli
