// The cost of the best tour by dynamic programming over sets of cities (Held and Karp 1962): no bounds, no search,
// nothing in common with the solver under test. 2^n n^2 steps: for up to about 16 cities.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "scenarios/tsp/little_solver.hpp"

namespace dpm::test {

inline scenarios::tsp::Cost held_karp(const scenarios::tsp::CostMatrix& matrix) {
  using scenarios::tsp::City;
  using scenarios::tsp::Cost;
  constexpr Cost kNever = std::numeric_limits<Cost>::max() / 2;
  const std::size_t others = matrix.size() - 1;  // city i + 1 is bit i
  const std::size_t sets = std::size_t{1} << others;
  std::vector<Cost> best(sets * others, kNever);  // cheapest way from city 0 through `set`, ending in `last`
  for (std::size_t last = 0; last < others; ++last) {
    best[(std::size_t{1} << last) * others + last] = matrix.cost(0, static_cast<City>(last + 1));
  }
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t last = 0; last < others; ++last) {
      const Cost so_far = best[set * others + last];
      if (so_far == kNever) continue;
      for (std::size_t next = 0; next < others; ++next) {
        if ((set >> next & 1) != 0) continue;
        Cost& there = best[(set | std::size_t{1} << next) * others + next];
        there = std::min(there, so_far + matrix.cost(static_cast<City>(last + 1), static_cast<City>(next + 1)));
      }
    }
  }
  Cost tour = kNever;
  for (std::size_t last = 0; last < others; ++last) {
    tour = std::min(tour, best[(sets - 1) * others + last] + matrix.cost(static_cast<City>(last + 1), 0));
  }
  return tour;
}

}  // namespace dpm::test
