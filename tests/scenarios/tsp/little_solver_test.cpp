#include "scenarios/tsp/little_solver.hpp"

#include <algorithm>
#include <limits>

#include "model/random.hpp"
#include "tests/scenarios/tsp/held_karp.hpp"
#include "tests/scenarios/tsp/solve_sequential.hpp"
#include "tests/support/catch.hpp"

namespace dpm::scenarios::tsp {
namespace {

Cost cost_of(const CostMatrix& matrix, const Path& tour) {
  Cost sum = matrix.cost(tour.back(), tour.front());
  for (std::size_t i = 1; i < tour.size(); ++i) sum += matrix.cost(tour[i - 1], tour[i]);
  return sum;
}

bool visits_every_city_once(const CostMatrix& matrix, Path tour) {
  std::sort(tour.begin(), tour.end());
  for (std::size_t city = 0; city < tour.size(); ++city) {
    if (tour[city] != city) return false;
  }
  return tour.size() == matrix.size();
}

// The cheapest tour that begins with `path`, by trying them all.
Cost cheapest_completion(const CostMatrix& matrix, const Path& path) {
  Path rest;
  for (std::uint32_t city = 0; city < matrix.size(); ++city) {
    const auto number = static_cast<City>(city);
    if (std::find(path.begin(), path.end(), number) == path.end()) rest.push_back(number);
  }
  Cost best = std::numeric_limits<Cost>::max();
  do {
    Path tour = path;
    tour.insert(tour.end(), rest.begin(), rest.end());
    best = std::min(best, cost_of(matrix, tour));
  } while (std::next_permutation(rest.begin(), rest.end()));
  return best;
}

Path random_path(std::uint32_t size, std::size_t cities, Random& random) {
  Path path{0};
  while (path.size() < cities) {
    const auto city = static_cast<City>(random.below(size));
    if (std::find(path.begin(), path.end(), city) == path.end()) path.push_back(city);
  }
  return path;
}

}  // namespace

TEST_CASE("tsp: the tour found is the best there is, as dynamic programming says", "[tsp]") {
  for (std::uint32_t size = kCitiesMin; size <= 13; ++size) {
    const std::uint64_t seeds = size <= 10 ? 60 : 15;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Cost highest = seed % 3 == 0 ? 5 : seed % 3 == 1 ? 100 : 100000;  // few costs make many ties
      const CostMatrix matrix = CostMatrix::random(size, highest, seed);
      const Tour tour = test::solve_sequential(matrix);
      INFO("size " << size << ", costs 1.." << highest << ", seed " << seed);
      REQUIRE(tour.cost == test::held_karp(matrix));
      REQUIRE(visits_every_city_once(matrix, tour.cities));
      REQUIRE(tour.cities.front() == 0);
      REQUIRE(cost_of(matrix, tour.cities) == tour.cost);
    }
  }
}

TEST_CASE("tsp: a path's bound is never above its best tour, and exact when no choice is left", "[tsp]") {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    const auto size = static_cast<std::uint32_t>(kCitiesMin + random.below(6));
    const CostMatrix matrix = CostMatrix::random(size, 50, random.next() >> 1);
    const Path path = random_path(size, 1 + random.below(size), random);
    const Cost bound = evaluate_path(matrix, path).bound;
    const Cost best = cheapest_completion(matrix, path);
    INFO("round " << round << ", size " << size << ", path of " << path.size());
    REQUIRE(bound <= best);
    if (path.size() + 1 >= size) REQUIRE(bound == best);
  }
}

TEST_CASE("tsp: the matrix has costs of the range, differs by direction and by seed, and is the same every time",
          "[tsp]") {
  const CostMatrix matrix = CostMatrix::random(12, 9, 3);
  CHECK(matrix.costs() == CostMatrix::random(12, 9, 3).costs());
  CHECK(matrix.costs() != CostMatrix::random(12, 9, 4).costs());
  std::set<Cost> drawn;
  bool asymmetric = false;
  for (City from = 0; from < 12; ++from) {
    for (City to = 0; to < 12; ++to) {
      if (from == to) continue;
      drawn.insert(matrix.cost(from, to));
      asymmetric |= matrix.cost(from, to) != matrix.cost(to, from);
    }
  }
  CHECK(drawn == std::set<Cost>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(asymmetric);
}

TEST_CASE("tsp: the first level has N-1 pieces, the next N-2", "[tsp]") {
  const CostMatrix matrix = CostMatrix::random(9, 100, 1);
  Search search(matrix, Search::Values::kept);
  CHECK(search.pieces().size() == 8);
  search.decide(std::vector<Cost>{4, 4, 4, 3, 4, 4, 4, 4});
  REQUIRE(search.pieces().size() == 7);
  for (const Path& piece : search.pieces()) CHECK((piece.size() == 3 && piece[1] == 4));
}

TEST_CASE("tsp: when a choice proves not to be the best, the search goes back to an older one", "[tsp]") {
  const CostMatrix matrix = CostMatrix::random(4, 100, 1);
  Search search(matrix, Search::Values::kept);
  search.decide(std::vector<Cost>{30, 20, 40});
  REQUIRE(search.pieces().front() == Path{0, 2, 1});
  search.decide(std::vector<Cost>{35, 33});
  CHECK(search.pieces().front() == Path{0, 1, 2});
}

TEST_CASE("tsp: recalculating values costs operations and changes nothing else", "[tsp]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const CostMatrix matrix = CostMatrix::random(9, 100, seed);
    Search recalculated(matrix, Search::Values::recalculated), kept(matrix, Search::Values::kept);
    while (!kept.done()) {
      REQUIRE(recalculated.pieces() == kept.pieces());
      std::vector<Cost> bounds;
      for (const Path& piece : kept.pieces()) bounds.push_back(evaluate_path(matrix, piece).bound);
      recalculated.decide(bounds);
      kept.decide(bounds);
    }
    REQUIRE(recalculated.done());
    CHECK(recalculated.tour().cities == kept.tour().cities);
    CHECK(recalculated.operations() > kept.operations());
  }
}

TEST_CASE("tsp: a piece costs more operations the more of the matrix its path leaves open", "[tsp]") {
  const CostMatrix matrix = CostMatrix::random(16, 100, 5);
  Path path{0};
  std::uint64_t before = evaluate_path(matrix, path).operations;
  for (City city = 1; city < 15; ++city) {
    path.push_back(city);
    const std::uint64_t operations = evaluate_path(matrix, path).operations;
    CHECK(operations < before);
    CHECK(operations >= (16u - city) * (16u - city));
    before = operations;
  }
}

}  // namespace dpm::scenarios::tsp
