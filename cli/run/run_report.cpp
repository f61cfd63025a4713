#include "cli/run/run_report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "answers/report/trace_report.hpp"
#include "cli/run/feedback_section.hpp"
#include "text/number_text.hpp"
#include "view/figures.hpp"

namespace dpm::cli {
namespace {

constexpr double kGoalPercent = 1.5;  // docs/validation.md: the worst cell a matrix should have

view::Section published_section(const std::vector<Comparison>& comparisons) {
  std::vector<view::Comparison> rows;
  for (const auto& c : comparisons) {
    const double difference = c.obtained - c.published.value;
    rows.push_back({c.published.label, significant(c.published.value, 6), significant(c.obtained),
                    (difference > 0 ? "+" : "") + significant(difference), c.agrees(), "figure " + c.published.figure});
  }
  return {"Published beside obtained",
          "Every number was measured in the traces of this run.",
          {view::comparison_figure(rows)}};
}

// One pair of charts for each combination of the other parameters; seeds and placements are averaged.
view::Section sweep_section(const SweepResult& sweep) {
  const std::string& axis = sweep.parameters.front();
  const std::string process = longest_queue(sweep);
  struct Sum {
    double P = 0, queue = 0, runs = 0;
  };
  std::map<std::string, std::map<double, Sum>> charts;
  for (const auto& point : sweep.points) {
    std::string which;
    for (std::size_t i = 1; i < sweep.parameters.size(); ++i)
      which += (which.empty() ? "" : ", ") + sweep.parameters[i] + " " +
               significant(point.parameters.at(sweep.parameters[i]), 6);
    if (sweep.placements > 1) which += (which.empty() ? "" : ", ") + ("placement " + point.placement);
    Sum& sum = charts[which][point.parameters.at(axis)];
    sum.P += point.parallelism ? point.parallelism->delay_cpu.P : view::kNoValue;
    const auto queue = point.queue_mean.find(process);
    sum.queue += queue == point.queue_mean.end() ? view::kNoValue : queue->second;
    sum.runs += 1;
  }
  view::Section section{
      "Sweep '" + sweep.name + "'", "Every point is a separate simulation, or the mean of several seeds.", {}};
  for (const auto& [which, points] : charts) {
    std::vector<view::SweepPoint> line;
    for (const auto& [x, sum] : points) line.push_back({x, sum.P / sum.runs, sum.queue / sum.runs});
    for (auto& figure : view::sweep_figures(line, axis, process)) {
      if (!which.empty()) figure.heading += " (" + which + ")";
      section.figures.push_back(std::move(figure));
    }
  }
  return section;
}

view::Section matrix_section(const MatrixResult& matrix) {
  std::vector<std::vector<double>> percents;
  for (const auto& traced : matrix.placements) {
    percents.emplace_back();
    for (const auto& predicted : matrix.placements)
      percents.back().push_back(matrix.worst_cell(traced, predicted) * 100);
  }
  return {"Predicted against simulated: " + matrix.name,
          "Each placement was traced, asked about every other, and every answer was checked against a simulation of "
          "that other; the worst of all seeds. Off the diagonal: mean " +
              percent(matrix.mean_error(), 2) + ", worst " + percent(matrix.worst_error(), 2) + ".",
          {view::prediction_figure(matrix.placements, percents, kGoalPercent)}};
}

}  // namespace

std::string run_report(const Findings& findings, const FeedbackStudy* feedback, const std::vector<SweepResult>& sweeps,
                       const std::vector<MatrixResult>& matrices, const std::vector<Comparison>& comparisons,
                       const nlohmann::ordered_json& views) {
  view::ReportInput report = trace_report(findings);
  auto& sections = report.sections;
  if (!comparisons.empty())
    sections.insert(sections.begin() + (findings.parallel ? 1 : 0), published_section(comparisons));
  if (feedback != nullptr) sections.push_back(feedback_section(*feedback));
  for (const auto& sweep : sweeps) sections.push_back(sweep_section(sweep));
  for (const auto& matrix : matrices) sections.push_back(matrix_section(matrix));
  return view::render_report(report, views);
}

}  // namespace dpm::cli
