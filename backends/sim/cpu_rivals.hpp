// Which process had the CPU of a machine while others were ready: exact, because a machine shares its CPU fairly.
//
// With n processes on c < n cores each runs c/n of the time. The rest of its time it waits, and as long for each of the others.
// So what two processes had from each other is one number: how much the clock `per_rival_ns_` advanced while both were runnable.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/sim/true_time.hpp"

namespace dpm::sim {

class CpuRivals {
 public:
  explicit CpuRivals(std::uint16_t cores = 1) : cores_(cores) {}

  // Processes go by their rank.
  void begins(std::uint32_t rank, TrueTime now);
  void ends(std::uint32_t rank, TrueTime now);

  struct Pair {
    std::uint32_t first = 0, second = 0;
    double waited_ns = 0;  // each for the other
  };
  // Up to now, ordered by rank.
  std::vector<Pair> pairs(TrueTime now);

 private:
  struct Runnable {
    std::uint32_t rank = 0;
    double since_ns = 0;  // of per_rival_ns_
  };
  void advance(TrueTime now);
  void add(const Runnable& a, const Runnable& b);

  std::uint16_t cores_;
  TrueTime at_;
  double per_rival_ns_ = 0;
  std::vector<Runnable> runnable_;
  std::unordered_map<std::uint64_t, double> waited_ns_;  // by both ranks, the lower first
};

}  // namespace dpm::sim
