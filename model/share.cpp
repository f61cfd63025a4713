#include "model/share.hpp"

#include <algorithm>
#include <cmath>

namespace dpm {
namespace {

constexpr double kZ = 1.959964;  // 95 %, two sides

}  // namespace

Share mean_share(double value, std::uint64_t samples) {
  Share share;
  share.samples = samples;
  if (samples == 0) return share;
  const double n = static_cast<double>(samples), z2 = kZ * kZ;
  const double middle = (value + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ / (1 + z2 / n) * std::sqrt(value * (1 - value) / n + z2 / (4 * n * n));
  share.hits = static_cast<std::uint64_t>(std::llround(value * n));
  share.value = value;
  // At 0 and 1 the interval ends there exactly; rounding would leave a trace of 1e-17.
  share.low = value == 0 ? 0 : std::max(0., middle - half);
  share.high = value == 1 ? 1 : std::min(1., middle + half);
  return share;
}

Share share_of(std::uint64_t hits, std::uint64_t samples) {
  if (samples == 0) return {};
  Share share = mean_share(static_cast<double>(hits) / static_cast<double>(samples), samples);
  share.hits = hits;
  return share;
}

}  // namespace dpm
