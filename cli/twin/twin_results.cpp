#include "cli/twin/twin_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using twin::TwinGroup;

bool dispatches(const Step& step) {
  const auto* repeat = std::get_if<steps::Repeat>(&step.what);
  return std::holds_alternative<steps::Dispatch>(repeat == nullptr ? step.what : repeat->steps.front().what);
}

// A short name for the group's behaviour.
std::string manner_of(const TwinGroup& group) {
  if (group.as_recorded) return group.unmetered ? "outside, as recorded" : "as recorded";
  if (group.unmetered) return "outside, unmetered";
  if (std::any_of(group.program.start.begin(), group.program.start.end(), dispatches)) return "hands out tasks";
  if (group.starts_requests) return "client";
  return group.program.start.empty() ? "service" : "starts, then serves";
}

// A group that is written as recorded is reproduced, not inferred.
std::uint64_t understood(const TwinGroup& group) {
  if (group.as_recorded) return 0;
  return group.activities - std::min(group.activities, group.activities_forced + group.activities_once);
}

double understood_share(const TwinGroup& group) {
  return group.activities == 0 ? 1 : static_cast<double>(understood(group)) / static_cast<double>(group.activities);
}

// What was inferred of times in which nothing was computed: they are not events of the trace.
std::string inferred_text(const TwinGroup& group) {
  std::string text;
  const auto say = [&](const twin::TimesSeen& times, const std::string& what) {
    if (times.count > 0)
      text += fmt::format("'{}' {} {}, for {} in the mean\n", group.name, what, counted(times.count, "time"),
                          seconds_text(times.mean_s()));
  };
  say(group.sleeps, "sleeps (sleep_s)");
  say(group.timeouts, fmt::format("times out and sends again ({})", group.as_recorded ? "sleep_s" : "timeout_s"));
  say(group.give_ups, "times out and continues (sleep_s)");
  return text;
}

nlohmann::ordered_json times_json(const twin::TimesSeen& times) {
  return {{"times", times.count}, {"mean_s", times.mean_s()}};
}

}  // namespace

std::string twin_text(const twin::Twin& twin, int width) {
  TextTable table({"process", ">number", "what it is", ">messages kinds", ">activities", ">understood", ">CPU"});
  for (const auto& group : twin.groups)
    table.add_row({group.name, std::to_string(group.count), manner_of(group),
                   std::to_string(group.program.handlers.size()), std::to_string(group.activities),
                   percent(understood_share(group), 1), seconds_text(group.cpu_s)});
  std::string text = table.to_text(width) + "\n";
  text += fmt::format("made from {}; {}\n", counted(twin.events, "event"), counted(twin.requests, "request"));
  text += fmt::format("delays are from {}\n", twin.delays_from);
  for (const auto& group : twin.groups) text += inferred_text(group);
  std::size_t as_recorded = 0;
  for (const auto& group : twin.groups) as_recorded += group.as_recorded;
  if (as_recorded > 0)
    text += std::to_string(as_recorded) + " of " + std::to_string(twin.groups.size()) +
            " rows are as recorded: how they would react to other behaviour is not known\n";
  return text;
}

nlohmann::ordered_json twin_json(const twin::Twin& twin, const std::string& scenario_file, const Ledger& ledger) {
  using Json = nlohmann::ordered_json;
  Json processes = Json::array();
  for (const auto& group : twin.groups)
    processes.push_back({{"process", group.name},
                         {"number", group.count},
                         {"what", manner_of(group)},
                         {"in_computation", group.in_computation},
                         {"metered", !group.unmetered},
                         {"as_recorded", group.as_recorded},
                         {"messages", group.messages},
                         {"kinds_handled", group.program.handlers.size()},
                         {"activities", group.activities},
                         {"activities_understood", understood(group)},
                         {"cpu_s", group.cpu_s},
                         {"sleeps", times_json(group.sleeps)},
                         {"timeouts", times_json(group.timeouts)},
                         {"given_up", times_json(group.give_ups)}});
  return {{"scenario", scenario_file},         {"events", twin.events},
          {"requests", twin.requests},         {"delays_from", twin.delays_from},
          {"processes", std::move(processes)}, {"warnings", twin.warnings},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
