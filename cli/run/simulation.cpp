#include "cli/run/simulation.hpp"

#include <fmt/format.h>

#include <span>

#include "answers/reading/event_progress.hpp"
#include "answers/reading/tee_sink.hpp"
#include "cli/run/ending_text.hpp"
#include "cli/run/simulated_clock.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/read_ledger.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kTextFileBytesMax = 16 * 1024 * 1024;

// Each rule on the line that it has in the scenario, so that a mistake is reported with it.
std::string rules_on_their_lines(const FilterFiles& filter) {
  std::string text;
  int line = 1;
  for (std::size_t i = 0; i < filter.rules.size(); ++i) {
    if (i > 0 && line == filter.rule_lines[i]) text += ';';
    for (; line < filter.rule_lines[i]; ++line) text += '\n';
    text += filter.rules[i];
  }
  return text;
}

Result<RuleSet> rules_of(const std::string& scenario, const FilterFiles& filter,
                         std::span<const RecordLayout> layouts) {
  if (!filter.templates.empty()) {
    const std::string file = filter.templates.string();
    const auto rules = read_text_file(file, kTextFileBytesMax);
    if (!rules) return rules.error();
    return RuleSet::compile(file, *rules, layouts);
  }
  std::string text;
  for (const auto& rule : filter.rules) text += rule + "\n";
  auto rules = RuleSet::compile(fmt::format("{}: filter '{}', rule", scenario, filter.name), text, layouts);
  if (rules) return rules;
  const auto placed = RuleSet::compile(scenario, rules_on_their_lines(filter), layouts);
  return placed ? rules : placed;  // a rule that a comma continues on the next line may be right only there
}

}  // namespace

Result<Filters> load_filters(const ScenarioFile& file) {
  Filters filters;
  for (const auto& filter : file.filters) {
    auto compiled = rules_of(file.path.string(), filter, program_event_layouts());
    if (!compiled) return compiled.error();
    filters.rules.push_back(*std::move(compiled));
    filters.names.push_back(filter.name);
  }
  return filters;
}

Result<RecordedRun> simulate_into(const std::string& trace_directory, Filters filters, const Scenario& scenario,
                                  const Progressing& progress, SimulatedTrace form) {
  constexpr std::int64_t kStepsOfWindow = 100;
  const auto& window = form.window;
  SimulatedClock clock(window ? Duration{window->ns / kStepsOfWindow} : Duration::from_seconds(1));
  TraceForm kept{.compressed = form.compressed};
  if (window) kept.window = TraceWindow{*window, [&clock] { return clock.now_ns(); }};
  auto writer = TraceWriter::create(trace_directory, describe_events(filters.names, filters.rules), std::move(kept));
  if (!writer) return writer.error();
  EventFilter filter(std::move(filters.rules), **writer);
  SimSource source(scenario);
  clock.pass_to(filter);
  EventProgress counted(clock, progress.say, progress.doing, {.time_s = scenario.time_limit.seconds()});
  const Result<void> done = source.run(counted);
  const bool began = !source.truth().ended_by.empty();
  if (!done && !began) return done.error();
  RecordedRun run{source.truth(), (*writer)->ledger(), ""};
  if (run.ledger.removed > 0) run.ledger.warnings.push_back(begins_in_the_middle(run.ledger, *window));
  if (const auto& status = (*writer)->status(); !status) run.failure = status.error().what;
  if (!done) run.failure = done.error().what;
  return run;
}

Result<SimTruth> simulate(const Scenario& scenario, std::vector<EventSink*> sinks, const Progressing& progress) {
  SimSource source(scenario);
  TeeSink tee(std::move(sinks));
  EventProgress counted(tee, progress.say, progress.doing, {.time_s = scenario.time_limit.seconds()});
  if (auto done = source.run(counted); !done) return done.error();
  return source.truth();
}

std::string how_it_ended(const RecordedRun& run, bool all) {
  const auto& truth = run.truth;
  return ending_text(run.failure, truth.ended_by, truth.at_limit, truth.blocked, all);
}

}  // namespace dpm::cli
