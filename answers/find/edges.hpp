// How long messages, or requests, from each process to each other one took: a distribution for each edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/queues/wait_distribution.hpp"
#include "answers/find/item.hpp"

namespace dpm::cli {

struct Edge {
  ProcessId from, to;
  std::uint64_t items = 0;     // also those without a latency
  WaitDistribution latencies;  // in nanoseconds
};

// Those with the most items first.
std::vector<Edge> edges_of(std::span<const Item> items);

}  // namespace dpm::cli
