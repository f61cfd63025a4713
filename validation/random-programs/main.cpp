// Random programs, predicted on placements they were not traced on: which order, when, and whether the interval that is
// printed contains the truth.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "validation/common/claim_program.hpp"
#include "validation/common/prediction_cells.hpp"
#include "validation/program_generator/random_program.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

// The interval's one constant was fitted on the programs 1 to 150; these are others.
constexpr std::uint64_t kFirstSeed = 3001;
constexpr std::uint64_t kPrograms = 300, kQuickPrograms = 50;
constexpr std::uint64_t kShownPlacements = 1;  // cells of each program in the plot

// By the family's place, so that tables have them in the order in which they are explained.
using CellsOfFamily = std::map<std::size_t, std::vector<Cell>>;

std::vector<Cell> all_cells(const Asked& asked) {
  std::vector<Cell> cells;
  const std::uint64_t count = asked.quick ? kQuickPrograms : kPrograms;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 20 == 0) say(fmt::format("random programs: {} of {}", i, count));
    const RandomProgram program = random_program(kFirstSeed + i);
    for (auto& cell : cells_of({program.file, program.seed, std::string(name_of(program.family)), program.name()}))
      cells.push_back(std::move(cell));
  }
  return cells;
}

ResultTable which_when(const CellsOfFamily& families, const std::vector<Cell>& all) {
  ResultTable table{"Which order, when: mean and worst error of P off the traced placement", {"programs", "cells"}, {}};
  for (const Method method : kMethods) table.columns.push_back(name_of(method));
  const auto add = [&](const std::string& name, const std::vector<Cell>& cells) {
    std::vector<std::string> row = {name, std::to_string(cells.size())};
    for (const Method method : kMethods)
      row.push_back(fmt::format("{}, {}", percent_text(mean_error(cells, method)),
                                percent_text(worst(cells, method).error(method), 1)));
    table.rows.push_back(std::move(row));
  };
  for (const auto& [place, cells] : families) add(cells.front().group, cells);
  add("all", all);
  return table;
}

ResultTable intervals(const CellsOfFamily& families, const std::vector<Cell>& all) {
  ResultTable table{"The interval printed with the prediction", {"programs", "holds the truth", "mean width"}, {}};
  const auto add = [&](const std::string& name, const std::vector<Cell>& cells) {
    table.rows.push_back({name, percent_text(coverage(cells), 1), percent_text(mean_width(cells))});
  };
  for (const auto& [place, cells] : families) add(cells.front().group, cells);
  add("all", all);
  return table;
}

ResultPlot predicted_against_simulated(const CellsOfFamily& families) {
  ResultPlot plot{PlotKind::predicted_against_measured,
                  "P of random programs, one cell of each, order auto",
                  "simulated P",
                  "predicted P",
                  {}};
  for (const auto& [place, cells] : families) {
    PlotSeries series{cells.front().group, {}};
    std::map<std::uint64_t, std::uint64_t> shown;
    for (const Cell& cell : cells) {
      if (shown[cell.seed]++ >= kShownPlacements) continue;
      series.points.push_back({cell.simulated_P, cell.P.front(), cell.low_P, cell.high_P,
                               fmt::format("{}, {} from {}", cell.system, cell.predicted, cell.traced)});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// One curve for each method: the share of cells that are off by less.
ResultPlot errors_by_rank(const std::vector<Cell>& all) {
  ResultPlot plot{
      PlotKind::lines, "Which order, when: how many cells are off by how much", "cells, %", "error of P, %", {}};
  constexpr std::size_t kPoints = 50;
  for (const Method method : kMethods) {
    std::vector<double> errors;
    for (const Cell& cell : all) errors.push_back(100 * cell.error(method));
    std::sort(errors.begin(), errors.end());
    PlotSeries series{name_of(method), {}};
    for (std::size_t i = 0; i <= kPoints; ++i) {
      const std::size_t at = (errors.size() - 1) * i / kPoints;
      series.points.push_back({100.0 * static_cast<double>(i) / kPoints, errors[at], {}, {}, ""});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

ClaimResult measure(const Asked& asked) {
  const std::vector<Cell> cells = all_cells(asked);
  CellsOfFamily families;
  for (const Cell& cell : cells) families[cell.seed % kFamilyCount].push_back(cell);
  ClaimResult result;
  double best_fixed = 1;
  for (const Method method : kMethods) {
    const double error = mean_error(cells, method);
    result.figures[name_of(method) + "_mean_error"] = 100 * error;
    if (method != Method::automatic) best_fixed = std::min(best_fixed, error);
  }
  const Cell& off = worst(cells, Method::automatic);
  result.figures["auto_worst_error"] = 100 * off.error(Method::automatic);
  result.figures["beyond_best_fixed"] = 100 * (mean_error(cells, Method::automatic) / best_fixed - 1);
  result.figures["coverage"] = 100 * coverage(cells);
  result.figures["mean_width"] = 100 * mean_width(cells);
  result.remarks = {
      fmt::format("the worst cell is {} from {} of {}, with {} messages: its processes draw as they go along, and in "
                  "another order draw otherwise; so what they would have done there is not in the trace",
                  off.predicted, off.traced, off.system, off.messages)};
  result.tables = {which_when(families, cells), intervals(families, cells)};
  result.plots = {predicted_against_simulated(families), errors_by_rank(cells)};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {{}, measure}); }
