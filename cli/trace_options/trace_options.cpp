#include "cli/trace_options/trace_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "formats/import/guess.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr double kSecondsMax = 1e9;  // more would not fit in nanoseconds with a clock's own time

std::string seconds_option(const std::string& text) {
  try {
    std::size_t used = 0;
    const double seconds = std::stod(text, &used);
    if (used == text.size() && std::isfinite(seconds) && std::abs(seconds) <= kSecondsMax) return "";
  } catch (const std::exception&) {  // of std::stod
  }
  return "'" + text + "' is not a number of seconds";
}

// A file is never a trace.
std::string refused_recording(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  const auto guess = guess_format(path);
  if (!guess) return "";
  const std::string file = printable(path);
  return fmt::format("{} is {}: 'dpm import {} -o OUT' makes a trace of it", file, printable(guess->what), file);
}

}  // namespace

void TraceOptions::describe(Options& options) {
  options.value("TRACE", trace, "A trace directory, or the output directory of a run")
      .required()
      .check(refused_recording);
  options.flag("--json", json, "Print the same numbers as JSON");
}

void describe_threads(Options& options, bool& threads) {
  options.flag("--threads", threads, "Show every thread of live programs (default: threads summed by process)");
}

void describe_all(Options& options, bool& all) {
  options.flag(
      "--all", all,
      "Show each process, peer outside, channel and machine (default: many processes of one program, and the clients "
      "of one service, are one row, and long tables are cut)");
}

void describe_computation(Options& options, Computation& computation) {
  options.list("--process", computation.only,
               "A process of the computation; repeat for several (default: those that the trace marks)");
  options.flag("--everybody", computation.all_processes,
               "Include every process of the trace in the computation, users too");
  options.flag("--external-time", computation.external_time,
               "Count the time spent in processes outside (thesis figure 5.3)");
}

void describe_times(Options& options, std::optional<double>& from_s, std::optional<double>& to_s) {
  options.value("--from", from_s, "Only the part from this second on, since the first event, by each machine's clock")
      .check(seconds_option);
  options.value("--to", to_s, "Only the part up to this second").check(seconds_option);
}

void describe_part(Options& options, TracePart& part) {
  describe_times(options, part.from_s, part.to_s);
  options.list("--process", part.processes, "Only events of this process; repeat for several");
}

void print_json(const nlohmann::ordered_json& document, Terminal& terminal) {
  // Names come from outside: bytes that are not UTF-8 become U+FFFD; without this the JSON library would throw.
  terminal.out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace dpm::cli
