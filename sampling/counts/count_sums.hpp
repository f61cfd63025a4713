// Sums that every count array has, however its samples were: what a damaged or edited file of counts is known by.
#pragma once

#include <string>

#include "sampling/counts/count_array.hpp"

namespace dpm::sampling {

// More than any sampler can have counted: sums of such numbers still fit into 64 bits.
inline constexpr std::uint64_t kMostCount = std::uint64_t{1} << 56;

// Which sum does not fit: "level 2 of users: ..."; "" if all do.
//
//   foreground + background = all        each state, and the unrecognised
//   statewords of system    = samples    of a level; each sample has one
//   samples of all levels                the same by each measure of workload that every sample has
std::string wrong_sum(const CountArray& counts);

}  // namespace dpm::sampling
