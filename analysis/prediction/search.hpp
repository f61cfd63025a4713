// The best placements of a traced computation, by predicted elapsed time.
//
// With few placements all are tried, and the result is the best by the predictor. With many, several starts (the traced
// placement, everything on one machine, spread out, greedy) are improved by moves of one process and swaps of two, and
// by simulated annealing. Then `regret_bound` limits how far from the best the result can be: best found / lower bound
// - 1, where no placement can beat the lower bound (see lower_bound.hpp).
//
// Machines of equal speed and cores that hold nothing fixed and have no delays of their own are interchangeable;
// placements that differ only by exchanging such machines count once ("four servers on free machines: 15 partitions").
// Threads move with their process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "model/placement.hpp"
#include "model/result.hpp"

namespace dpm {

struct SearchOptions {
  std::vector<std::string>
      movable;  // process names; empty: every process of the computation. The others stay where the base has them
  std::vector<std::string> machines;          // where they may go; empty: every machine that accepts processes
  std::optional<Order> order = std::nullopt;  // default: chosen for each process (analysis/behaviour)
  std::size_t keep = 10;                      // candidates to return
  std::uint64_t exhaustive_limit = 5000;      // with more placements than this: heuristic
  std::uint64_t evaluations = 4000;           // of the heuristic
  std::uint64_t seed = 1;
  // Gets how many placements have been predicted, and how many will be at most.
  std::function<void(std::uint64_t evaluated, std::uint64_t of)> progress = {};
  // If all placements are tried, several workers that search together each predict some: returns number_of(i) for each
  // i < count. Empty: this one predicts all.
  std::function<std::vector<double>(std::size_t count, const std::function<double(std::size_t)>& number_of)> share = {};
};

struct Candidate {
  Placement placement;                // the movable processes only
  std::vector<MachineId> machine_of;  // of all
  double elapsed_s = 0;
  double T_s = 0;
  double P = 0;
  // Other placements that differ only in which of several equal machines they use, and are predicted the same.
  std::uint64_t alike = 0;
};

struct SearchResult {
  std::vector<Candidate> candidates;  // best first; ties in the order they were found
  Candidate base;                     // the placement the search began with
  std::optional<Candidate> traced;    // set by the caller, if the search began with another one
  std::uint64_t evaluated = 0;
  std::uint64_t possible = 0;  // placements there are; 0 when they were too many to count
  bool exhaustive = false;
  double lower_bound_s = 0;
  double regret_bound = 0;  // 0 when exhaustive; among predictions (on real machines: regret.hpp)
};

// `base` gives machines, delays and the places of processes that do not move. Refuses unknown names (with the nearest),
// an empty set of movable processes, and a role order without roles.
Result<SearchResult> search(const History& history, const Target& base, const SearchOptions& options = {});

}  // namespace dpm
