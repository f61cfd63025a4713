// How much an amount differs among runs of one system, and so which value another run may have without being different.
//
// With n runs of mean m and standard deviation s, the next run is within m +- t(n - 1) s sqrt(1 + 1/n) in 99 % of the cases
// (the prediction interval of normally distributed values; t is Student's quantile).
#pragma once

#include <optional>
#include <span>

namespace dpm {

inline constexpr double kRounding = 1e-9;  // sums of the same numbers in another order

struct Noise {
  double mean = 0;
  double half_width = 0;

  bool covers(double value) const;
};

// None with fewer than two runs.
std::optional<Noise> noise_of(std::span<const double> values);

}  // namespace dpm
