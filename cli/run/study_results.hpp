// Sweeps, prediction matrices and published figures as tables and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/run/study.hpp"

namespace dpm::cli {

std::string sweep_text(const SweepResult& sweep, int width);
nlohmann::ordered_json sweep_json(const SweepResult& sweep);

std::string matrix_text(const MatrixResult& matrix, int width);
nlohmann::ordered_json matrix_json(const MatrixResult& matrix);

// A published figure beside the value that was obtained here.
struct Comparison {
  PublishedFigure published;
  double obtained = 0;
  bool agrees() const;
};

std::string comparison_text(const std::vector<Comparison>& comparisons, int width);
nlohmann::ordered_json comparison_json(const std::vector<Comparison>& comparisons);

}  // namespace dpm::cli
