#include "cli/run/simulation.hpp"

#include <fstream>
#include <span>
#include <sstream>

#include "cli/tee_sink.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

Result<RuleSet> rules_of(const FilterFiles& filter, std::span<const RecordLayout> layouts) {
  std::string file = "filter '" + filter.name + "'";
  std::string text;
  if (!filter.templates.empty()) {
    std::ifstream stream(filter.templates);
    if (!stream) return Error::from_errno("read rules " + filter.templates.string());
    std::ostringstream all;
    all << stream.rdbuf();
    file = filter.templates.string();
    text = all.str();
  }
  for (const auto& rule : filter.rules) text += rule + "\n";
  return RuleSet::compile(file, text, layouts);
}

}  // namespace

Result<RecordedRun> simulate_into(const std::string& trace_directory, const ScenarioFile& file, const Scenario& scenario) {
  std::vector<RuleSet> rules;
  std::vector<std::string> names;
  for (const auto& filter : file.filters) {
    auto compiled = rules_of(filter, event_layouts());
    if (!compiled) return compiled.error();
    rules.push_back(std::move(*compiled));
    names.push_back(filter.name);
  }
  auto writer = TraceWriter::create(trace_directory, describe_events(names, rules));
  if (!writer) return writer.error();
  EventFilter filter(std::move(rules), **writer);
  SimSource source(scenario);
  if (auto done = source.run(filter); !done) return done.error();
  if (const auto& status = (*writer)->status(); !status) return status.error();
  return RecordedRun{source.truth(), (*writer)->ledger()};
}

Result<SimTruth> simulate(const Scenario& scenario, std::vector<EventSink*> sinks) {
  SimSource source(scenario);
  TeeSink tee(std::move(sinks));
  if (auto done = source.run(tee); !done) return done.error();
  return source.truth();
}

std::string how_it_ended(const SimTruth& truth) {
  if (!truth.deadlocked && truth.blocked.empty()) return "";
  std::string text = "the run ended by " + truth.ended_by;
  for (const auto& who : truth.blocked) text += "\n  " + who;
  return text;
}

}  // namespace dpm::cli
