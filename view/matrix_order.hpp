// In which order processes stand along a matrix, so that those that talk much stand together and the traffic lies
// near the diagonal (1988 paper V.A: "the order of the processes in the matrix can be changed to group together the
// most active").
#pragma once

#include <cstddef>
#include <vector>

namespace dpm::view {

// Sum over pairs of traffic times distance from the diagonal: what the order keeps small.
double distance_from_diagonal(const std::vector<std::vector<double>>& traffic, const std::vector<std::size_t>& order);

// `traffic` is square. A chain grown from the heaviest pair, then improved by moving one process at a time until
// nothing helps.
std::vector<std::size_t> order_for_diagonal(const std::vector<std::vector<double>>& traffic);

}  // namespace dpm::view
