// The whole search in one place: what the distributed program must arrive at.
#pragma once

#include <vector>

#include "scenarios/tsp/little_solver.hpp"

namespace dpm::test {

inline scenarios::tsp::Tour solve_sequential(const scenarios::tsp::CostMatrix& matrix) {
  scenarios::tsp::Search search(matrix, scenarios::tsp::Search::Values::kept);
  while (!search.done()) {
    std::vector<scenarios::tsp::Cost> bounds;
    for (const auto& piece : search.pieces()) bounds.push_back(evaluate_path(matrix, piece).bound);
    search.decide(bounds);
  }
  return search.tour();
}

}  // namespace dpm::test
