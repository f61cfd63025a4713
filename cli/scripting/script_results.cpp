#include "cli/scripting/script_results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000, kNsPerUs = 1000;

const monitor::ActionName& action_of(const EventDefinition& event) { return monitor::kActionNames[event.action]; }

}  // namespace

std::string time_text(std::uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / kNsPerSecond);
  std::tm local = {};
  ::localtime_r(&seconds, &local);
  return fmt::format("{:%H:%M:%S}.{:06}", local, time_ns % kNsPerSecond / kNsPerUs);
}

std::string occurrence_text(const Occurrence& occurrence, const ScriptWatch& watch) {
  const EventDefinition& event = watch.script().events[occurrence.event];
  const WatchedProgram& program = watch.programs()[occurrence.program];
  return fmt::format("{}: {} on {} in {} of {}[{}] (process {}, thread {}){}", printable(event.name),
                     action_of(event).name, printable(event.object), printable(event.function),
                     printable(program.program), program.count, program.pid, occurrence.thread,
                     !action_of(event).value.empty() ? " = " + occurrence.value.to_text() : "");
}

nlohmann::json occurrence_json(const Occurrence& occurrence, const ScriptWatch& watch) {
  const EventDefinition& event = watch.script().events[occurrence.event];
  const WatchedProgram& program = watch.programs()[occurrence.program];
  nlohmann::json line = {
      {"time_ns", occurrence.time_ns}, {"event", event.name},        {"action", action_of(event).name},
      {"object", event.object},        {"function", event.function}, {"program", program.program},
      {"count", program.count},        {"pid", program.pid},         {"thread", occurrence.thread}};
  if (!action_of(event).value.empty()) line["value"] = occurrence.value.as_json<nlohmann::json>();
  return line;
}

std::string script_summary_text(const ScriptWatch& watch, int width) {
  TextTable table({"event", "action", "object", ">seen", ">reported", ">lost"});
  const auto counts = watch.counts();
  for (std::size_t e = 0; e < counts.size(); ++e) {
    const EventDefinition& event = watch.script().events[e];
    if (event.meter_event) continue;
    table.add_row({printable(event.name), std::string(action_of(event).name), printable(event.object),
                   std::to_string(counts[e].seen), std::to_string(counts[e].reported), std::to_string(counts[e].lost)});
  }
  std::string text = table.empty() ? "" : table.to_text(width);
  if (const EvaluationBacklog& backlog = watch.backlog(); backlog.records() != 0)
    text += fmt::format("backlog: at most {} waited to be looked at, the oldest for {}\n",
                        counted(backlog.most_records(), "event"),
                        seconds_text(static_cast<double>(backlog.longest_ns()) * 1e-9));
  if (watch.lost_otherwise() != 0)
    text += fmt::format("{} more records were lost: of threads without a ring, or damaged\n", watch.lost_otherwise());
  return text;
}

nlohmann::json script_summary_json(const ScriptWatch& watch) {
  nlohmann::json events = nlohmann::json::array();
  const auto counts = watch.counts();
  for (std::size_t e = 0; e < counts.size(); ++e)
    events.push_back({{"event", watch.script().events[e].name},
                      {"seen", counts[e].seen},
                      {"reported", counts[e].reported},
                      {"lost", counts[e].lost}});
  return {{"events", events},
          {"lost_otherwise", watch.lost_otherwise()},
          {"programs", watch.programs().size()},
          {"backlog", {{"most_events", watch.backlog().most_records()}, {"longest_ns", watch.backlog().longest_ns()}}}};
}

}  // namespace dpm::cli
