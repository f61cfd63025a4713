#include "analysis/difference/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dpm {
namespace {

// Student's t for 99 %, two-sided, by degrees of freedom from 1; more than these: the last.
constexpr std::array<double, 30> kStudent99 = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                                               3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
                                               2.831,  2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750};

}  // namespace

bool Noise::covers(double value) const {
  return std::abs(value - mean) <= half_width + kRounding * std::max(std::abs(value), std::abs(mean));
}

std::optional<Noise> noise_of(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 2) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(n);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  const double t = kStudent99[std::min(n - 1, kStudent99.size()) - 1];
  return Noise{mean, t * deviation * std::sqrt(1 + 1 / static_cast<double>(n))};
}

}  // namespace dpm
