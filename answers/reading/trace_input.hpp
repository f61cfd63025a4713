// What all commands that read a trace share: find it, read it into the analyses, and report what is missing.
#pragma once

#include <string>
#include <vector>

#include "analysis/messages/message_resolver.hpp"
#include "model/event_source.hpp"

namespace dpm::cli {

class TraceReading;

struct TraceInput {
  std::string directory;
  TraceInfo info;  // as the analyses saw it, including the processes outside that stand for unmetered ends
  Ledger ledger;
};

// Whether a long reading is reported on the terminal.
enum class ProgressShown : bool { on_terminal, nowhere };

// Reads the trace into all `sinks` at once. A trace of live programs is read twice, and its streams and datagrams are
// turned into messages (analysis/messages). A recorder finishes a moment after the program that it meters; read_trace()
// waits for it, some seconds at most. While the program runs, the trace is read as far as it is written.
Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks,
                              ReceiveLength length = ReceiveLength::of_message,
                              ProgressShown shown = ProgressShown::on_terminal);

// With the reading of the command, if it has one.
Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks, TraceReading* reading);

}  // namespace dpm::cli
