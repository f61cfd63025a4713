#include "answers/sampling/count_page.hpp"

#include <fmt/format.h>

#include "answers/sampling/mon_figures.hpp"
#include "sampling/counts/measures.hpp"
#include "text/number_text.hpp"
#include "view/report.hpp"

namespace dpm::cli {
namespace {

std::string tip(const std::string& name, const Share& share) {
  return fmt::format("{}: {} ({} to {})", name, percent(share.value, 1), percent(share.low, 1), percent(share.high, 1));
}

view::Figure components_figure(const sampling::StateCounts& total, const CountQuestion& question) {
  view::BarChart chart{.title = "Components of the time of threads",
                       .description = "the share of samples in each state",
                       .series = {"share of samples"},
                       .form = view::NumberForm::percent};
  for (const auto& part : sampling::components(total, question.groups))
    if (part.count > 0 || question.grouped)
      chart.rows.push_back({part.name, {part.share.value}, tip(part.name, part.share)});
  return {.heading = "What threads do",
          .caption = "Over all samples. Intervals are in the tips.",
          .drawing = chart,
          .wide = true};
}

view::Figure levels_figure(const sampling::CountArray& counts, const CountQuestion& question) {
  view::LineChart chart{.title = "Components by workload",
                        .description = "the share of each component at each level of workload",
                        .x_label = std::string(sampling::name_of(question.workload)),
                        .y_label = "% of samples",
                        .x_whole = true};
  const auto names = sampling::components(counts.total().of(question.scope), question.groups);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].count == 0) continue;
    view::LineSeries series{.name = names[i].name};
    for (const auto& [level, of_level] : counts.levels(question.workload)) {
      const auto& found = of_level.of(question.scope);
      const auto parts = sampling::components(found, question.groups);
      if (i < parts.size() && found.threads() > 0) series.points.push_back({level, parts[i].share.value * 100});
    }
    chart.series.push_back(std::move(series));
  }
  return {
      .heading = "How it changes with the workload",
      .caption =
          "Each point is one level of workload. Levels with few samples are uncertain; the tables have the intervals.",
      .drawing = chart,
      .wide = true};
}

view::Figure resources_figure(const sampling::WordCounts& words, const CountQuestion& question) {
  view::BarChart chart{
      .title = "Resources",
      .description = "the share of samples in which a resource is run on, and in which it is run on or queued for",
      .series = {"run on", "run on or queued for"},
      .form = view::NumberForm::percent};
  for (const auto& use : sampling::resource_uses(words)) {
    const std::string name(sampling::name_of(use.resource));
    chart.rows.push_back({name, {use.utilisation.value, use.bottleneck.value}, tip(name, use.bottleneck)});
  }
  return {.heading = "Utilisation and bottlenecks",
          .caption = fmt::format("Of {}.", sampling::name_of(question.scope)),
          .drawing = chart,
          .wide = true};
}

}  // namespace

std::vector<view::Section> count_sections(const sampling::CountArray& counts, const CountQuestion& question) {
  const auto total = counts.total();
  view::Section section{.heading = "States",
                        .text = "What do the processes wait for and run on?",
                        .figures = {components_figure(total.of(question.scope), question)}};
  if (counts.levels(question.workload).size() > 1) section.figures.push_back(levels_figure(counts, question));
  section.figures.push_back(resources_figure(total.words[static_cast<std::size_t>(question.scope)], question));
  return {std::move(section), mon_figures_section(counts, question)};
}

std::string count_page(const sampling::CountArray& counts, const CountQuestion& question) {
  view::ReportInput report{
      .title = counts.setup().selection, .subtitle = "sampled states", .made_by = "dpm sample report"};
  report.facts = {{"samples", std::to_string(counts.total().samples)},
                  {"interval", seconds_text(static_cast<double>(counts.setup().interval_ns) * 1e-9)},
                  {"source", counts.setup().source},
                  {"machine", counts.setup().machine},
                  {"cores", std::to_string(counts.setup().cores)}};
  report.sections = count_sections(counts, question);
  return view::render_report(report);
}

}  // namespace dpm::cli
