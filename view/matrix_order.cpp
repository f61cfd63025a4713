#include "view/matrix_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpm::view {
namespace {

constexpr int kRoundsMax = 20;

double between(const std::vector<std::vector<double>>& traffic, std::size_t a, std::size_t b) {
  return traffic[a][b] + traffic[b][a];
}

// The process with the most traffic with one end of the chain joins it there.
std::vector<std::size_t> grow_chain(const std::vector<std::vector<double>>& traffic) {
  const std::size_t count = traffic.size();
  std::size_t first = 0, second = 1;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      if (between(traffic, a, b) > between(traffic, first, second)) first = a, second = b;
    }
  }
  std::vector<std::size_t> chain = {first, second};
  std::vector<bool> used(count, false);
  used[first] = used[second] = true;
  while (chain.size() < count) {
    std::size_t best = count;
    bool at_front = false;
    double most = -1;
    for (std::size_t candidate = 0; candidate < count; ++candidate) {
      if (used[candidate]) continue;
      for (const bool front : {false, true}) {
        const double traffic_with_end = between(traffic, candidate, front ? chain.front() : chain.back());
        if (traffic_with_end > most) most = traffic_with_end, best = candidate, at_front = front;
      }
    }
    used[best] = true;
    chain.insert(at_front ? chain.begin() : chain.end(), best);
  }
  return chain;
}

}  // namespace

double distance_from_diagonal(const std::vector<std::vector<double>>& traffic, const std::vector<std::size_t>& order) {
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      sum += between(traffic, order[i], order[j]) * static_cast<double>(j - i);
    }
  }
  return sum;
}

std::vector<std::size_t> order_for_diagonal(const std::vector<std::vector<double>>& traffic) {
  std::vector<std::size_t> order(traffic.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (traffic.size() < 3) return order;
  order = grow_chain(traffic);
  double distance = distance_from_diagonal(traffic, order);
  for (int round = 0; round < kRoundsMax; ++round) {
    bool improved = false;
    for (std::size_t from = 0; from < order.size(); ++from) {
      for (std::size_t to = 0; to < order.size(); ++to) {
        if (from == to) continue;
        auto moved = order;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), order[from]);
        const double moved_distance = distance_from_diagonal(traffic, moved);
        if (moved_distance < distance * (1 - 1e-12)) {
          order = std::move(moved);
          distance = moved_distance;
          improved = true;
        }
      }
    }
    if (!improved) break;
  }
  // The mirrored order is equally good; the one that keeps the original direction is used.
  if (order.front() > order.back()) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace dpm::view
