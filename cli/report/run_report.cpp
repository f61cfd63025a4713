#include "cli/report/run_report.hpp"

#include <cmath>
#include <map>

#include "cli/report/trace_report.hpp"
#include "cli/run/requests.hpp"
#include "cli/text_table.hpp"

namespace dpm::cli {
namespace {

using view::Cell;
using view::CellTone;
using view::Figure;
using view::LineChart;
using view::Section;

Section published_section(const std::vector<Comparison>& comparisons) {
  view::Table table;
  table.columns = {{"figure", false}, {"quantity", false}, {"published", true}, {"obtained", true}, {"within", true}, {"", false}};
  for (const auto& c : comparisons)
    table.rows.push_back({Cell{c.published.figure, CellTone::muted}, Cell{c.published.label}, Cell{short_number(c.published.value)},
                          Cell{fixed(c.obtained, 3), CellTone::strong}, Cell{short_number(c.published.within)},
                          c.agrees() ? Cell{"✓ agrees", CellTone::pass} : Cell{"✗ differs", CellTone::fail}});
  return {"Published beside obtained", "Nothing of this is put in: every number was measured in this run's own traces.",
          {{"Figures of the original study", "", table, true}}};
}

// One line for each combination of the parameters after the first, seed and placement; a single line stays unnamed.
std::string line_name(const SweepPoint& point, const SweepResult& sweep, const std::string& quantity) {
  std::string name = quantity;
  for (std::size_t i = 1; i < sweep.parameters.size(); ++i)
    name += ", " + sweep.parameters[i] + " " + short_number(point.parameters.at(sweep.parameters[i]));
  bool placements = false, seeds = false;
  for (const auto& other : sweep.points) {
    placements |= other.placement != sweep.points.front().placement;
    seeds |= other.seed != sweep.points.front().seed;
  }
  if (placements) name += ", " + point.placement;
  if (seeds) name += ", seed " + std::to_string(point.seed);
  return name;
}

LineChart chart_of(const SweepResult& sweep, const std::string& y_label,
                   const std::vector<std::pair<std::string, std::function<double(const SweepPoint&)>>>& quantities) {
  LineChart chart;
  chart.title = y_label + " against " + sweep.parameters.front();
  chart.description = chart.title;
  chart.x_label = sweep.parameters.front();
  chart.y_label = y_label;
  chart.x_whole = true;
  std::map<std::string, std::size_t> series;
  for (const auto& point : sweep.points) {
    const double x = point.parameters.at(sweep.parameters.front());
    for (const auto& [quantity, value] : quantities) {
      const std::string name = line_name(point, sweep, quantity);
      const auto [found, added] = series.try_emplace(name, chart.series.size());
      if (added) chart.series.push_back({name, {}, false});
      chart.series[found->second].points.emplace_back(x, value(point));
      if (std::floor(x) != x) chart.x_whole = false;
    }
  }
  return chart;
}

Section sweep_section(const SweepResult& sweep) {
  Section section{"Against " + sweep.parameters.front(), "", {}};
  section.figures.push_back({"P against " + sweep.parameters.front(), "Each point is a simulation of its own.",
                             chart_of(sweep, "P", {{"P", [](const SweepPoint& p) { return p.parallelism.delay_cpu.P; }}}), false});
  std::vector<std::pair<std::string, std::function<double(const SweepPoint&)>>> queues;
  constexpr std::size_t kMostLines = 6;
  if (!sweep.points.empty())
    for (const auto& [process, length] : sweep.points.back().queue_mean)
      if (queues.size() < kMostLines)
        queues.emplace_back(process, [process = process](const SweepPoint& p) {
          const auto found = p.queue_mean.find(process);
          return found == p.queue_mean.end() ? view::kNoValue : found->second;
        });
  if (!queues.empty())
    section.figures.push_back({"Queue length against " + sweep.parameters.front(), "Mean over time, in messages.",
                               chart_of(sweep, "messages queued", queues), false});
  return section;
}

Section matrix_section(const MatrixResult& matrix) {
  view::HeatMap map;
  map.title = "Prediction error";
  map.description = "error of the predicted P for each pair of traced and predicted placement";
  map.row_title = "traced";
  map.column_title = "predicted";
  map.scale = view::HeatScale::signed_;
  map.full_at = .05;
  map.legend = "error of P, worst of all seeds";
  map.rows = map.columns = matrix.placements;
  for (const auto& traced : matrix.placements) {
    map.values.emplace_back();
    map.texts.emplace_back();
    for (const auto& predicted : matrix.placements) {
      double worst = 0;
      for (const auto& cell : matrix.cells)
        if (cell.traced == traced && cell.predicted == predicted && std::fabs(cell.error()) >= std::fabs(worst))
          worst = cell.error();
      map.values.back().push_back(worst);
      map.texts.back().push_back((worst > 0 ? "+" : "") + percent(worst, 2));
    }
  }
  return {"Predicted against simulated",
          "Each placement was traced, asked about every other, and every answer was checked against a simulation of that other.",
          {{"Prediction matrix '" + matrix.name + "'",
            "Off the diagonal: mean " + percent(matrix.mean_error(), 2) + ", worst " + percent(matrix.worst_error(), 2) + ".", map, true}}};
}

}  // namespace

std::string run_report(const Findings& findings, const std::vector<SweepResult>& sweeps,
                       const std::vector<MatrixResult>& matrices, const std::vector<Comparison>& comparisons) {
  view::ReportInput report = trace_report(findings);
  auto& sections = report.sections;
  if (!comparisons.empty()) sections.insert(sections.begin() + 1, published_section(comparisons));
  for (const auto& sweep : sweeps) sections.push_back(sweep_section(sweep));
  for (const auto& matrix : matrices) sections.push_back(matrix_section(matrix));
  return view::render_report(report);
}

}  // namespace dpm::cli
