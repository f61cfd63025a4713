#include "cli/run/feedback_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/results/journal_results.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

view::Figure by_time(const FeedbackStudy& study) {
  view::LineChart chart{"Throughput by time", "", "time, s", "messages received a second", {}, false, true, false, {}};
  const auto add = [&](const FeedbackRun& run, bool dashed) {
    view::LineSeries series{dashed ? "best static" : run.name, {}, dashed};
    for (std::size_t step = 0; step < run.received.size(); ++step)
      series.points.emplace_back((static_cast<double>(step) + 0.5) * study.step_s,
                                 static_cast<double>(run.received[step]) / study.step_s);
    chart.series.push_back(std::move(series));
  };
  for (const auto& run : study.policies) add(run, false);
  if (study.best_static) add(*study.best_static, true);
  return {"Throughput by time",
          fmt::format("Messages that processes received, in steps of {} s.", significant(study.step_s)),
          std::move(chart), true};
}

view::Figure totals(const FeedbackStudy& study) {
  view::Table table{
      {{"scheduler"}, {"all", true}, {"second half", true}, {"elapsed", true}, {"kept", true}, {"undone", true}}, {}};
  const auto add = [&](const std::string& name, const FeedbackRun& run) {
    const auto count = [&](DecisionOutcome outcome) {
      return std::to_string(std::count_if(run.journal.begin(), run.journal.end(),
                                          [&](const auto& entry) { return entry.outcome == outcome; }));
    };
    table.rows.push_back({{name, view::CellTone::strong},
                          {significant(study.whole_rate(run))},
                          {significant(study.settled_rate(run))},
                          {significant(run.elapsed_s) + " s"},
                          {count(DecisionOutcome::kept)},
                          {count(DecisionOutcome::undone)}});
  };
  for (const auto& run : study.policies) add(run.name, run);
  std::string caption = "Messages received a second, and how many decisions were kept and undone.";
  if (study.best_static) {
    add("best static", *study.best_static);
    caption += fmt::format(" Best static: the best of all {} placements, {}.", study.static_placements,
                           study.best_static->name);
  }
  return {"Schedulers beside each other", std::move(caption), std::move(table), true};
}

view::Figure journal(const FeedbackRun& run) {
  view::Table table{{{"at", true}, {"moves"}, {"predicted", true}, {"measured", true}, {"outcome"}, {"reason"}}, {}};
  for (const auto& entry : run.journal) {
    const auto measured = entry.measured_gain();
    table.rows.push_back({{significant(entry.at.seconds()) + " s"},
                          {moves_text(entry.moves)},
                          {entry.predicted ? gain_text(*entry.predicted) : "-"},
                          {measured ? signed_percent(*measured, 1) : "-"},
                          {std::string(name_of(entry.outcome)), view::CellTone::strong},
                          {entry.reason, view::CellTone::prose}});
  }
  return {"Journal of '" + run.name + "'",
          "Each decision: what the scheduler saw, predicted and measured, and the outcome.", std::move(table), true};
}

}  // namespace

view::Section feedback_section(const FeedbackStudy& study) {
  view::Section section{"Feedback scheduling",
                        "The same scenario under several schedulers, and without one in every placement.",
                        {by_time(study), totals(study)}};
  for (const auto& run : study.policies)
    if (!run.journal.empty()) section.figures.push_back(journal(run));
  return section;
}

}  // namespace dpm::cli
