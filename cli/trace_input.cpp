#include "cli/trace_input.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/replay/replay_source.hpp"
#include "cli/tee_sink.hpp"

namespace dpm::cli {

std::string trace_directory(const std::string& path) {
  const std::filesystem::path inside = std::filesystem::path(path) / "trace";
  std::error_code ignored;
  return std::filesystem::exists(inside / "trace.json", ignored) ? inside.string() : path;
}

Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks) {
  const std::string directory = trace_directory(path);
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
