// Random programs, each traced in every placement and predicted in every other, by every order and method.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "validation/program_generator/random_program.hpp"

namespace dpm::validation {

enum class Method : std::uint8_t { automatic, arrival, role, recorded, thesis1984 };
inline constexpr std::array kMethods = {Method::automatic, Method::arrival, Method::role, Method::recorded,
                                        Method::thesis1984};
std::string name_of(Method method);

struct Cell {
  std::uint64_t seed = 0;
  Family family = Family::client_server;
  std::string traced, predicted;  // placements
  std::string program;            // in words
  std::uint64_t messages = 0;
  double simulated_P = 0;
  std::array<double, kMethods.size()> P{};
  double low_P = 0, high_P = 0;  // the interval of the automatic choice

  double error(Method method) const;  // |P predicted / P simulated - 1|
  bool held() const { return low_P <= simulated_P && simulated_P <= high_P; }
};

// The cells off the diagonal of the program with this seed. Throws std::runtime_error on failure.
std::vector<Cell> cells_of(std::uint64_t seed);

// Of many cells.
double mean_error(const std::vector<Cell>& cells, Method method);
double coverage(const std::vector<Cell>& cells);
double mean_width(const std::vector<Cell>& cells);  // relative to P
const Cell& worst(const std::vector<Cell>& cells, Method method);

}  // namespace dpm::validation
