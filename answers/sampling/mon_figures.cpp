#include "answers/sampling/mon_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sampling/counts/measures.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using sampling::Component;
using sampling::State;
using sampling::StateGroup;

constexpr double kFigureBarLength = 28;

struct MonFigure {
  const char* number;
  const char* title;
  std::vector<StateGroup> groups;
  std::string letters;  // of its groups, in bars of text
};

StateGroup all_but(const char* name, const std::vector<StateGroup>& groups) {
  StateGroup rest{name, {}};
  for (const auto& info : sampling::all_states()) {
    bool is_taken = false;
    for (const auto& group : groups)
      for (const State state : group.states) is_taken = is_taken || state == info.state;
    if (!is_taken) rest.states.push_back(info.state);
  }
  return rest;
}

std::vector<MonFigure> mon_figures() {
  using enum State;
  const StateGroup user{"waiting for the user", {terminal_input, stopped}};
  const std::vector<StateGroup> named = {
      {"CPU", {cpu_queue, cpu_run}}, {"I/O", {page_wait, swap, disk_io}}, {"input", {terminal_input}}};
  std::vector<StateGroup> with_other = named;
  with_other.push_back(all_but("other", named));
  return {{"6.1", "CPU components", {{"CPU run", {cpu_run}}, {"CPU queue", {cpu_queue}}}, "RQ"},
          {"6.2", "I/O components", {{"paging I/O", {page_wait}}, {"other disk I/O", {disk_io, busy_block}}}, "PD"},
          {"6.3", "system and user", {all_but("system", {user}), user}, "SU"},
          {"6.4", "CPU, I/O, input and other", with_other, "CI>."}};
}

std::string_view whose(sampling::Scope scope) {
  if (scope == sampling::Scope::foreground) return "threads in the foreground";
  return scope == sampling::Scope::background ? "threads in the background" : "all threads";
}

std::string caption(const MonFigure& figure, const CountQuestion& question) {
  return fmt::format("Figure {} of MON: {}, of {}, by {}", figure.number, figure.title, whose(question.scope),
                     sampling::name_of(question.workload));
}

// "RRRRQQ   |": each component takes as many letters as its share of the bar. Sums are rounded, not parts, so that a bar of
// 100 % is full.
std::string stacked_bar(const std::vector<Component>& parts, const std::string& letters) {
  std::string bar;
  double sum = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    sum += parts[i].share.value;
    bar.resize(static_cast<std::size_t>(std::lround(std::min(sum, 1.) * kFigureBarLength)), letters[i]);
  }
  bar.resize(static_cast<std::size_t>(kFigureBarLength), ' ');
  return bar + '|';
}

std::string figure_text(const MonFigure& figure, const sampling::CountArray& counts, const CountQuestion& question,
                        int width) {
  std::vector<std::string> headings = {std::string(sampling::name_of(question.workload)), ">samples"};
  for (std::size_t i = 0; i < figure.groups.size(); ++i)
    headings.push_back(fmt::format(">{} {}", figure.letters[i], figure.groups[i].name));
  headings.emplace_back("");
  TextTable table(headings);
  for (const auto& [level, of_level] : counts.levels(question.workload)) {
    const auto& found = of_level.of(question.scope);
    if (found.threads() == 0) continue;
    std::vector<std::string> row = {std::to_string(level), std::to_string(found.samples)};
    const auto parts = sampling::components(found, figure.groups);
    for (std::size_t i = 0; i < figure.groups.size(); ++i) row.push_back(percent(parts[i].share.value, 1));
    row.push_back(stacked_bar(parts, figure.letters));
    table.add_row(std::move(row));
  }
  return caption(figure, question) + "\n" + (table.empty() ? "nothing was found\n" : table.to_text(width));
}

view::Figure figure_drawing(const MonFigure& figure, const sampling::CountArray& counts,
                            const CountQuestion& question) {
  view::LineChart chart{.title = fmt::format("Figure {}", figure.number),
                        .description = caption(figure, question),
                        .x_label = std::string(sampling::name_of(question.workload)),
                        .y_label = "% of samples",
                        .x_whole = true};
  for (const auto& group : figure.groups) chart.series.push_back({.name = group.name});
  for (const auto& [level, of_level] : counts.levels(question.workload)) {
    const auto& found = of_level.of(question.scope);
    const auto parts = sampling::components(found, figure.groups);
    for (std::size_t i = 0; i < figure.groups.size() && found.threads() > 0; ++i)
      chart.series[i].points.push_back({level, parts[i].share.value * 100});
  }
  return {.heading = fmt::format("{} {}", figure.number, figure.title),
          .caption = caption(figure, question) + ".",
          .drawing = chart};
}

}  // namespace

std::string mon_figures_text(const sampling::CountArray& counts, const CountQuestion& question, int width) {
  std::string text;
  for (const auto& figure : mon_figures())
    text += (text.empty() ? "" : "\n") + figure_text(figure, counts, question, width);
  return text;
}

nlohmann::ordered_json mon_figures_json(const sampling::CountArray& counts, const CountQuestion& question) {
  auto figures = nlohmann::ordered_json::array();
  for (const auto& figure : mon_figures()) {
    auto levels = nlohmann::ordered_json::array();
    for (const auto& [level, of_level] : counts.levels(question.workload)) {
      const auto& found = of_level.of(question.scope);
      nlohmann::ordered_json entry = {{"level", level}, {"samples", found.samples}};
      const auto parts = sampling::components(found, figure.groups);
      for (std::size_t i = 0; i < figure.groups.size(); ++i)
        entry[figure.groups[i].name] = {
            {"share", parts[i].share.value}, {"low", parts[i].share.low}, {"high", parts[i].share.high}};
      levels.push_back(std::move(entry));
    }
    figures.push_back({{"figure", figure.number}, {"title", figure.title}, {"levels", std::move(levels)}});
  }
  return figures;
}

view::Section mon_figures_section(const sampling::CountArray& counts, const CountQuestion& question) {
  view::Section section{.heading = "Figures of MON",
                        .text = "How do the components of time change with the workload? (S4, figures 6.1 to 6.4)"};
  for (const auto& figure : mon_figures()) section.figures.push_back(figure_drawing(figure, counts, question));
  return section;
}

}  // namespace dpm::cli
