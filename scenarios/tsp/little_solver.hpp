// The travelling salesman by branch and bound, after Little, Murty, Sweeney and Karel: no messages, no processes, no
// clock.
//
// A set of tours is a path from city 0: all tours that begin that way. Its lower bound is the length of the path plus
// what reducing the matrix of the cities still to be joined takes away (subtract every row's least cost, then every
// column's). The bound of a path through all cities is its tour's cost.
//
//   [0]                          level 1: N-1 pieces, one for each city that can follow
//    |-- [0 1]   bound 31
//    |-- [0 2]   bound 27  <---- picked: level 2: N-2 pieces
//    |     |-- [0 2 1]  bound 34
//    |     `-- [0 2 3]  bound 32
//    `-- [0 3]   bound 40
//                                then [0 1] (31 < 32): the choice of [0 2] proved not to be the best, go back
//
// Search picks the least bound of all paths not divided yet (ties: the longer path, then the smaller cities), so the
// first complete path it picks is optimal. Everything counts its elementary operations (visits of a matrix cell or a
// list entry): that is the CPU time a process of the scenario reports.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace dpm::scenarios::tsp {

using City = std::uint8_t;
using Cost = std::int32_t;
using Path = std::vector<City>;

inline constexpr std::uint32_t kCitiesMin = 3;
inline constexpr std::uint32_t kCitiesMax = 64;

// Costs of travelling from one city to another, not the same in both directions. The diagonal is never read.
class CostMatrix {
 public:
  CostMatrix(std::uint32_t size, std::vector<Cost> costs);

  // Costs drawn evenly from 1 .. highest; the same seed gives the same matrix everywhere.
  static CostMatrix random(std::uint32_t size, Cost highest, std::uint64_t seed);

  std::uint32_t size() const { return size_; }
  Cost cost(City from, City to) const { return costs_[from * size_ + to]; }
  const std::vector<Cost>& costs() const { return costs_; }

 private:
  std::uint32_t size_;
  std::vector<Cost> costs_;  // by rows
};

struct Evaluation {
  Cost bound = 0;
  std::uint64_t operations = 0;
};

// What one piece of the computation is: copy out the part of the matrix that `path` leaves open, and reduce it.
Evaluation evaluate_path(const CostMatrix& matrix, std::span<const City> path);

struct Tour {
  Cost cost = 0;
  Path cities;  // begins with city 0; the way back is understood
};

// The controller's half of the search. The pieces of a level may be evaluated anywhere and in any order; decide() takes
// all of them at once, so what happens next never depends on who answered first.
class Search {
 public:
  // Whether the value of the choice that was picked is worked out again before it is divided (version 1) or taken from
  // the cache of paths already computed (versions 2 and 3). Both search the same tree; they differ in operations().
  enum class Values { recalculated, kept };

  Search(const CostMatrix& matrix, Values values);

  bool done() const { return pieces_.empty(); }
  const std::vector<Path>& pieces() const { return pieces_; }  // of the current level
  void decide(std::span<const Cost> bounds);                   // one for each piece, in their order

  const Tour& tour() const;                                 // once done()
  std::uint64_t levels() const { return levels_; }          // paths divided so far
  std::uint64_t operations() const { return operations_; }  // since the beginning

 private:
  struct Choice {
    Cost bound = 0;
    Path path;
    bool operator<(const Choice& other) const;
  };

  void insert(Choice choice);
  void recalculate(const Choice& picked);
  void divide(const Path& path);

  const CostMatrix& matrix_;
  Values values_;
  std::set<Choice> open_;  // divided never, or not yet
  std::vector<Path> pieces_;
  Tour tour_;
  std::uint64_t levels_ = 0;
  std::uint64_t operations_ = 0;
};

}  // namespace dpm::scenarios::tsp
