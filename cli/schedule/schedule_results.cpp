#include "cli/schedule/schedule_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/results/journal_results.hpp"
#include "model/counted.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

std::size_t count_of(const ScheduleOutcome& outcome, DecisionOutcome wanted) {
  return static_cast<std::size_t>(std::count_if(outcome.journal.begin(), outcome.journal.end(),
                                                [&](const JournalEntry& entry) { return entry.outcome == wanted; }));
}

std::vector<std::string> names_of(const std::vector<CpuPlace>& places) {
  std::vector<std::string> names;
  for (const CpuPlace& place : places) names.push_back(place.name);
  return names;
}

}  // namespace

std::string schedule_text(const SchedulePlan& plan, const ScheduleOutcome& outcome, int width) {
  std::string text = fmt::format("schedule: policy {} on {}{}: {} kept, {} undone", plan.policy,
                                 fmt::join(names_of(plan.places), ", "), plan.dry_run ? " (dry run)" : "",
                                 count_of(outcome, DecisionOutcome::kept), count_of(outcome, DecisionOutcome::undone));
  if (outcome.restored.threads > 0)
    text += fmt::format("; {} may use again the CPUs of before{}", counted(outcome.restored.threads, "thread"),
                        outcome.command_ended_s ? ", because the command had ended" : "");
  text += "\n";
  if (outcome.journal.empty())
    text += "no decision: the program ended before a placement had been observed for long enough\n";
  else
    text += printable_lines(journal_text(outcome.journal, width));
  return text;
}

nlohmann::ordered_json schedule_json(const SchedulePlan& plan, const ScheduleOutcome& outcome) {
  nlohmann::ordered_json document = {{"policy", plan.policy},
                                     {"places", names_of(plan.places)},
                                     {"dry_run", plan.dry_run},
                                     {"window_s", plan.window.seconds()},
                                     {"kept", count_of(outcome, DecisionOutcome::kept)},
                                     {"undone", count_of(outcome, DecisionOutcome::undone)},
                                     {"restored_threads", outcome.restored.threads},
                                     {"not_restored_threads", outcome.restored.failed},
                                     {"dropped_events", outcome.dropped_events},
                                     {"cpu_s", outcome.cpu_s},
                                     {"warnings", outcome.warnings},
                                     {"journal", journal_json(outcome.journal)}};
  if (outcome.command_ended_s) document["command_ended_s"] = *outcome.command_ended_s;
  return document;
}

}  // namespace dpm::cli
