#include "cli/trace_input.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "backends/replay/replay_source.hpp"
#include "cli/await_recorder.hpp"
#include "cli/tee_sink.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::cli {

Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks) {
  const std::string directory = trace_directory(path);
  await_recorder(directory);
  ReplaySource source(directory);
  TeeSink tee(std::move(sinks));
  if (auto done = source.run(tee); !done) return done.error();
  return TraceInput{directory, source.info(), source.ledger()};
}

void TraceOptions::describe(CLI::App& app) {
  app.add_option("TRACE", trace, "A trace directory, or the output directory of a run")->required();
  app.add_flag("--json", json, "Print the same numbers as JSON");
}

void print_json(const nlohmann::ordered_json& document, Terminal& terminal) {
  // Names come from outside: what is not UTF-8 is shown as U+FFFD instead of ending the output.
  terminal.out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace dpm::cli
