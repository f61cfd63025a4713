#include "scenarios/tsp/little_solver.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "model/check.hpp"
#include "model/random.hpp"

namespace dpm::scenarios::tsp {
namespace {

constexpr Cost kForbidden = std::numeric_limits<Cost>::max();

// The part of the matrix a path leaves open. Rows are the cities still to be left (the path's last, then the unvisited
// ones), columns the cities still to be entered (city 0, then the unvisited ones), so cell (i, i) is the one that must
// not be used: closing the tour early, or staying where one is. With no city left to visit, the only cell is the way
// back.
class OpenMatrix {
 public:
  OpenMatrix(const CostMatrix& matrix, City last, std::span<const City> unvisited) : size_(unvisited.size() + 1) {
    cells_.reserve(size_ * size_);
    for (std::size_t row = 0; row < size_; ++row) {
      const City from = row == 0 ? last : unvisited[row - 1];
      for (std::size_t column = 0; column < size_; ++column) {
        const City to = column == 0 ? City{0} : unvisited[column - 1];
        const bool allowed = row != column || unvisited.empty();
        cells_.push_back(allowed ? matrix.cost(from, to) : kForbidden);
        ++operations_;
      }
    }
  }

  // Subtracts every row's least cost, then every column's, and returns their sum: no tour through here can be cheaper.
  Cost reduce() {
    Cost sum = 0;
    for (std::size_t row = 0; row < size_; ++row) sum += reduce_line(row * size_, 1);
    for (std::size_t column = 0; column < size_; ++column) sum += reduce_line(column, size_);
    return sum;
  }

  std::uint64_t operations() const { return operations_; }

 private:
  Cost reduce_line(std::size_t first, std::size_t stride) {
    Cost least = kForbidden;
    for (std::size_t i = 0; i < size_; ++i) least = std::min(least, cells_[first + i * stride]);
    operations_ += size_;
    if (least == 0) return 0;
    for (std::size_t i = 0; i < size_; ++i) {
      Cost& cell = cells_[first + i * stride];
      if (cell != kForbidden) cell -= least;
    }
    operations_ += size_;
    return least;
  }

  std::size_t size_;
  std::vector<Cost> cells_;
  std::uint64_t operations_ = 0;
};

std::vector<City> cities_outside(const CostMatrix& matrix, std::span<const City> path) {
  std::array<bool, kCitiesMax> visited{};
  for (const City city : path) visited[city] = true;
  std::vector<City> outside;
  for (std::uint32_t city = 0; city < matrix.size(); ++city) {
    if (!visited[city]) outside.push_back(static_cast<City>(city));
  }
  return outside;
}

}  // namespace

CostMatrix::CostMatrix(std::uint32_t size, std::vector<Cost> costs) : size_(size), costs_(std::move(costs)) {
  DPM_CHECK(size_ >= kCitiesMin && size_ <= kCitiesMax);
  DPM_CHECK(costs_.size() == std::size_t{size_} * size_);
}

CostMatrix CostMatrix::random(std::uint32_t size, Cost highest, std::uint64_t seed) {
  DPM_CHECK(highest >= 1);
  Random draws = Random::stream(seed, "cost matrix");
  std::vector<Cost> costs;
  costs.reserve(std::size_t{size} * size);
  for (std::uint32_t cell = 0; cell < size * size; ++cell) {
    const Cost cost = static_cast<Cost>(1 + draws.below(static_cast<std::uint64_t>(highest)));
    costs.push_back(cell % (size + 1) == 0 ? 0 : cost);
  }
  return CostMatrix(size, std::move(costs));
}

Evaluation evaluate_path(const CostMatrix& matrix, std::span<const City> path) {
  DPM_CHECK(!path.empty() && path.front() == 0 && path.size() <= matrix.size());
  Evaluation evaluation;
  for (std::size_t i = 1; i < path.size(); ++i) evaluation.bound += matrix.cost(path[i - 1], path[i]);
  const std::vector<City> unvisited = cities_outside(matrix, path);
  OpenMatrix open(matrix, path.back(), unvisited);
  evaluation.bound += open.reduce();
  evaluation.operations = path.size() + matrix.size() + open.operations();
  return evaluation;
}

bool Search::Choice::operator<(const Choice& other) const {
  if (bound != other.bound) return bound < other.bound;
  if (path.size() != other.path.size()) return path.size() > other.path.size();
  return path < other.path;
}

Search::Search(const CostMatrix& matrix, Values values) : matrix_(matrix), values_(values) { divide({0}); }

void Search::decide(std::span<const Cost> bounds) {
  DPM_CHECK(!done() && bounds.size() == pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) insert({bounds[i], std::move(pieces_[i])});
  pieces_.clear();
  const Choice picked = std::move(open_.extract(open_.begin()).value());
  if (values_ == Values::recalculated) recalculate(picked);
  if (picked.path.size() == matrix_.size()) {
    tour_ = {picked.bound, picked.path};
  } else {
    divide(picked.path);
  }
}

const Tour& Search::tour() const {
  DPM_CHECK(done());
  return tour_;
}

void Search::insert(Choice choice) {
  for (std::size_t entries = open_.size() + 1; entries > 0; entries /= 2) ++operations_;  // a search tree's comparisons
  const bool inserted = open_.insert(std::move(choice)).second;
  DPM_CHECK(inserted);
}

void Search::recalculate(const Choice& picked) {
  const Evaluation evaluation = evaluate_path(matrix_, picked.path);
  DPM_CHECK(evaluation.bound == picked.bound);
  operations_ += evaluation.operations;
}

void Search::divide(const Path& path) {
  for (const City city : cities_outside(matrix_, path)) {
    pieces_.push_back(path);
    pieces_.back().push_back(city);
    operations_ += pieces_.back().size();
  }
  operations_ += matrix_.size();
  ++levels_;
}

}  // namespace dpm::scenarios::tsp
