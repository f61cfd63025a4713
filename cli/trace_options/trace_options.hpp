// The options that commands have in common which read a trace.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "analysis/history/history.hpp"
#include "answers/reading/part_reading.hpp"
#include "cli/options.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

// The arguments TRACE and --json.
struct TraceOptions {
  std::string trace;
  bool json = false;

  void describe(Options& options);
};

void describe_threads(Options& options, bool& threads);                 // --threads
void describe_all(Options& options, bool& all);                         // --all
void describe_computation(Options& options, Computation& computation);  // --process, --everybody and --external-time
void describe_times(Options& options, std::optional<double>& from_s, std::optional<double>& to_s);  // --from, --to
void describe_part(Options& options, TracePart& part);  // --from, --to and --process

// Prints the document on stdout.
void print_json(const nlohmann::ordered_json& document, Terminal& terminal);

}  // namespace dpm::cli
