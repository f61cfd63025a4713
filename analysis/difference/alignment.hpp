// Which process of one run is which process of another.
//
// Processes with one name are the same. Of the others, those are the same that exchange messages with the same processes in the
// same proportions: the cosine of their messages to and from aligned processes is at least kAlike, and larger than any other's.
// What is aligned helps to align the rest, so a chain of renamed processes is found from its ends. With more than kComparedMax
// pairs of candidates only names count.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/difference/run_profile.hpp"

namespace dpm {

inline constexpr double kAlike = 0.9;
inline constexpr std::size_t kComparedMax = 1'000'000;

struct Alignment {
  std::vector<std::optional<std::size_t>> b_of_a;  // by process of a
  std::vector<std::optional<std::size_t>> a_of_b;
};

Alignment align(const RunProfile& a, const RunProfile& b);

}  // namespace dpm
