// Matrices of placements: a program is run in each of them, and the trace of each run predicts P of all the others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/common/claim_program.hpp"
#include "validation/common/traced_run.hpp"

namespace dpm::validation {

struct MatrixMethod {
  std::string name;
  PredictOptions options;
};

// The errors |P predicted / P simulated - 1| of many cells.
class CellErrors {
 public:
  void add(double error, const std::string& cell);

  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double worst() const { return worst_; }
  const std::string& worst_cell() const { return worst_cell_; }
  std::size_t count() const { return count_; }

 private:
  double sum_ = 0, worst_ = 0;
  std::size_t count_ = 0;
  std::string worst_cell_;
};

class MatrixStudy {
 public:
  explicit MatrixStudy(std::vector<MatrixMethod> methods) : methods_(std::move(methods)) {}

  // `runs`: one program in each of its placements. Cells of one placement are left out: they are exact. Matrices of the
  // same `group` share a table; `label` names this one ("7 users, seed 3").
  void add(const std::vector<TracedRun>& runs, const std::string& group, const std::string& label);

  const CellErrors& errors(const std::string& method) const { return errors_.at(method); }
  // For each group: the errors, with their sign, that this method makes in each cell; means over the group's matrices.
  std::vector<ResultTable> tables(const std::string& method) const;
  // Mean and worst of every method.
  ResultTable summary() const;
  // Every cell of every method.
  ResultPlot plot(const std::string& title) const;

 private:
  struct Cell {
    double sum = 0;
    int count = 0;
  };
  struct Group {
    std::string name;
    std::vector<std::string> placements;
    std::map<std::string, std::vector<std::vector<Cell>>> cells;  // by method: traced, predicted
  };
  Group& group_of(const std::string& name, const std::vector<TracedRun>& runs);

  std::vector<MatrixMethod> methods_;
  std::vector<Group> groups_;
  std::map<std::string, CellErrors> errors_;
  std::map<std::string, PlotSeries> points_;
};

}  // namespace dpm::validation
