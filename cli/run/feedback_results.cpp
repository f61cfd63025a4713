#include "cli/run/feedback_results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/results/journal_results.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const FeedbackRun*> all_runs(const FeedbackStudy& study) {
  std::vector<const FeedbackRun*> runs;
  for (const auto& run : study.policies) runs.push_back(&run);
  if (study.best_static) runs.push_back(&*study.best_static);
  return runs;
}

std::string short_name(const FeedbackStudy& study, const FeedbackRun& run) {
  return study.best_static && &run == &*study.best_static ? "best static" : run.name;
}

// Mean distance of the predicted from the measured gains.
struct GainError {
  double mean = 0;
  std::size_t moves = 0;
};

GainError gain_error(const std::vector<JournalEntry>& journal) {
  GainError error;
  for (const auto& entry : journal) {
    const auto measured = entry.measured_gain();
    if (!entry.predicted || !measured) continue;
    error.mean += std::fabs(entry.predicted->expected - *measured);
    ++error.moves;
  }
  if (error.moves > 0) error.mean /= static_cast<double>(error.moves);
  return error;
}

std::size_t count_of(const std::vector<JournalEntry>& journal, DecisionOutcome outcome) {
  std::size_t count = 0;
  for (const auto& entry : journal) count += entry.outcome == outcome ? 1 : 0;
  return count;
}

Json run_json(const FeedbackStudy& study, const FeedbackRun& run) {
  Json rates = Json::array();
  for (const std::uint64_t received : run.received) rates.push_back(static_cast<double>(received) / study.step_s);
  const GainError error = gain_error(run.journal);
  Json document{{"name", run.name},
                {"received_per_s", std::move(rates)},
                {"received_per_s_all", study.whole_rate(run)},
                {"received_per_s_second_half", study.settled_rate(run)},
                {"elapsed_s", run.elapsed_s},
                {"kept", count_of(run.journal, DecisionOutcome::kept)},
                {"undone", count_of(run.journal, DecisionOutcome::undone)},
                {"journal", journal_json(run.journal)}};
  if (error.moves > 0) document["gain_error_mean"] = error.mean;
  return document;
}

}  // namespace

std::string feedback_text(const FeedbackStudy& study, int width) {
  const auto runs = all_runs(study);
  std::vector<std::string> headings = {">until"};
  for (const auto* run : runs) headings.push_back(">" + short_name(study, *run));
  TextTable by_time(headings);
  for (std::size_t step = 0; step < study.steps; ++step) {
    std::vector<std::string> cells = {significant(study.step_s * static_cast<double>(step + 1)) + " s"};
    for (const auto* run : runs) cells.push_back(significant(static_cast<double>(run->received[step]) / study.step_s));
    by_time.add_row(std::move(cells));
  }
  TextTable totals(
      {"scheduler", ">all", ">second half", ">against none", ">elapsed", ">kept", ">undone", ">gain error"});
  double none = 0;
  for (const auto* run : runs)
    if (run->name == "none") none = study.whole_rate(*run);
  for (const auto* run : runs) {
    const GainError error = gain_error(run->journal);
    totals.add_row({short_name(study, *run), significant(study.whole_rate(*run)), significant(study.settled_rate(*run)),
                    none > 0 ? signed_percent(study.whole_rate(*run) / none - 1, 1) : "-",
                    significant(run->elapsed_s) + " s", std::to_string(count_of(run->journal, DecisionOutcome::kept)),
                    std::to_string(count_of(run->journal, DecisionOutcome::undone)),
                    error.moves > 0 ? fmt::format("{:.1f} %", error.mean * 100) : "-"});
  }
  std::string text =
      "messages received a second, by scheduler\n" + by_time.to_text(width) + "\n" + totals.to_text(width);
  if (study.best_static)
    text += fmt::format("best static: the best of all {} placements, {}\n", study.static_placements,
                        study.best_static->name);
  return text;
}

Json feedback_json(const FeedbackStudy& study) {
  Json policies = Json::array();
  for (const auto& run : study.policies) policies.push_back(run_json(study, run));
  Json document{{"step_s", study.step_s}, {"policies", std::move(policies)}};
  if (study.best_static) {
    document["best_static"] = run_json(study, *study.best_static);
    document["static_placements"] = study.static_placements;
  }
  return document;
}

}  // namespace dpm::cli
