// What every command that reads a trace shares: finding it, reading it once into the analyses, and saying what is
// missing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "model/event_source.hpp"

namespace dpm::cli {

struct TraceInput {
  std::string directory;
  TraceInfo info;
  Ledger ledger;
};

// `path` is a trace directory, or the output directory of a run that holds one as "trace".
std::string trace_directory(const std::string& path);

// Reads the trace into all `sinks` at once.
Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks);

// The arguments TRACE and --json.
struct TraceOptions {
  std::string trace;
  bool json = false;

  void describe(CLI::App& app);
};

// A document for machines on stdout.
void print_json(const nlohmann::ordered_json& document, Terminal& terminal);

}  // namespace dpm::cli
