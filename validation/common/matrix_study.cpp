#include "validation/common/matrix_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dpm::validation {

void CellErrors::add(double error, const std::string& cell) {
  sum_ += std::fabs(error);
  ++count_;
  if (count_ > 1 && std::fabs(error) <= worst_) return;
  worst_ = std::fabs(error);
  worst_cell_ = cell;
}

void MatrixStudy::add(const std::vector<TracedRun>& runs, const std::string& group, const std::string& label) {
  Group& matrices = group_of(group, runs);
  for (const auto& method : methods_) {
    auto& cells = matrices.cells[method.name];
    for (std::size_t traced = 0; traced < runs.size(); ++traced) {
      for (std::size_t other = 0; other < runs.size(); ++other) {
        if (traced == other) continue;
        const double predicted = runs[traced].predict(runs[other].scenario, method.options).P;
        const double error = predicted / runs[other].P() - 1;
        const std::string cell =
            fmt::format("{} from {}, {}", matrices.placements[other], matrices.placements[traced], label);
        cells[traced][other].sum += error;
        ++cells[traced][other].count;
        errors_[method.name].add(error, cell);
        auto& series = points_[method.name];
        series.name = method.name;
        series.points.push_back({runs[other].P(), predicted, std::nullopt, std::nullopt, cell});
      }
    }
  }
}

MatrixStudy::Group& MatrixStudy::group_of(const std::string& name, const std::vector<TracedRun>& runs) {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.name == name; });
  if (found != groups_.end()) return *found;
  Group group{name, {}, {}};
  for (const auto& run : runs) group.placements.push_back(run.scenario.placement);
  for (const auto& method : methods_) group.cells[method.name].assign(runs.size(), std::vector<Cell>(runs.size()));
  return groups_.emplace_back(std::move(group));
}

std::vector<ResultTable> MatrixStudy::tables(const std::string& method) const {
  std::vector<ResultTable> tables;
  for (const auto& group : groups_) {
    ResultTable table{fmt::format("Error of P, {}, {}", method, group.name), {"traced on"}, {}};
    for (const auto& placement : group.placements) table.columns.push_back("predicted " + placement);
    const auto& cells = group.cells.at(method);
    for (std::size_t traced = 0; traced < cells.size(); ++traced) {
      std::vector<std::string> row = {group.placements[traced]};
      for (std::size_t other = 0; other < cells.size(); ++other)
        row.push_back(traced == other ? "same" : signed_text(cells[traced][other].sum / cells[traced][other].count));
      table.rows.push_back(std::move(row));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

ResultTable MatrixStudy::summary() const {
  ResultTable table{"Errors by method", {"method", "cells", "mean", "worst", "worst cell"}, {}};
  for (const auto& method : methods_) {
    const CellErrors& errors = errors_.at(method.name);
    table.rows.push_back({method.name, std::to_string(errors.count()), percent_text(errors.mean(), 3),
                          percent_text(errors.worst(), 3), errors.worst() > 1e-9 ? errors.worst_cell() : "none"});
  }
  return table;
}

ResultPlot MatrixStudy::plot(const std::string& title) const {
  ResultPlot plot{PlotKind::predicted_against_measured, title, "P, simulated", "P, predicted", {}};
  for (const auto& method : methods_) plot.series.push_back(points_.at(method.name));
  return plot;
}

}  // namespace dpm::validation
