// Orders the processes along a matrix so that processes that exchange many messages are adjacent and the traffic lies near
// the diagonal (1988 paper V.A: "the order of the processes in the matrix can be changed to group together the most
// active").
#pragma once

#include <cstddef>
#include <vector>

namespace dpm::view {

// The cost of an order: the sum over pairs of traffic times distance from the diagonal.
double distance_from_diagonal(const std::vector<std::vector<double>>& traffic, const std::vector<std::size_t>& order);

// `traffic` is square. Grows a chain from the heaviest pair, then moves one process at a time until no move improves it.
std::vector<std::size_t> order_for_diagonal(const std::vector<std::vector<double>>& traffic);

}  // namespace dpm::view
