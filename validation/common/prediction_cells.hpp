// A scenario traced in every placement and predicted in every other, by every order and method.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "scenarios/scenario_file.hpp"

namespace dpm::validation {

enum class Method : std::uint8_t { automatic, arrival, role, recorded, thesis1984 };
inline constexpr std::array kMethods = {Method::automatic, Method::arrival, Method::role, Method::recorded,
                                        Method::thesis1984};
std::string name_of(Method method);

struct Cell {
  std::uint64_t seed = 0;
  std::string group;              // of systems of one kind
  std::string traced, predicted;  // placements
  std::string system;             // in words
  std::uint64_t messages = 0;
  double simulated_P = 0;
  std::array<double, kMethods.size()> P{};
  double low_P = 0, high_P = 0;  // the interval of the automatic choice
  double other_draws_P = 0;      // simulated there with other random draws, mean of several runs; 0 if not asked for

  double error(Method method) const;  // |P predicted / P simulated - 1|
  // The error of a prediction that knows the system and every program, but not the draws of this run.
  double error_of_other_draws() const { return std::fabs(other_draws_P / simulated_P - 1); }
  bool held() const { return low_P <= simulated_P && simulated_P <= high_P; }
};

// What is predicted, and what to call it.
struct PredictedSystem {
  const ScenarioFile& file;
  std::uint64_t seed = 0;
  std::string group, name;
  std::uint64_t other_draws = 0;  // runs of each placement with other random draws
};

// The cells off the diagonal. Throws std::runtime_error on failure.
std::vector<Cell> cells_of(const PredictedSystem& system);

// Of many cells.
double mean_error(const std::vector<Cell>& cells, Method method);
double mean_error_of_other_draws(const std::vector<Cell>& cells);
double coverage(const std::vector<Cell>& cells);
double mean_width(const std::vector<Cell>& cells);        // relative to P
double widths_per_error(const std::vector<Cell>& cells);  // mean width by mean error of the automatic choice
const Cell& worst(const std::vector<Cell>& cells, Method method);

}  // namespace dpm::validation
