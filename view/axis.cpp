#include "view/axis.hpp"

#include <algorithm>
#include <cmath>

#include "view/text.hpp"

namespace dpm::view {
namespace {

double round_step(double range, int wanted) {
  const double rough = range / std::max(1, wanted);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

void make_finite(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
  if (high < low) std::swap(low, high);
  if (high - low < 1e-12 * std::max({1.0, std::fabs(low), std::fabs(high)}))
    high = low + (low == 0 ? 1 : std::fabs(low));
}

void fill_ticks(Axis& axis, long long first, long long last) {
  for (long long i = first; i <= last; ++i) axis.ticks.push_back(static_cast<double>(i) * axis.step);
}

}  // namespace

std::string Axis::label(double tick) const {
  const int decimals = step >= 1 ? 0 : std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  if (std::fabs(tick) >= 1e6) return plain(tick);
  if (decimals == 0 && tick >= 1000) return grouped(static_cast<std::uint64_t>(std::llround(tick)));
  return fixed(tick, decimals);
}

Axis round_axis(double low, double high, int wanted, bool whole) {
  make_finite(low, high);
  Axis axis;
  axis.step = round_step(high - low, wanted);
  if (whole) axis.step = std::max(1.0, axis.step);
  const auto first = std::llround(std::floor(low / axis.step + 1e-9));
  const auto last = std::max(first + 1, std::llround(std::ceil(high / axis.step - 1e-9)));
  fill_ticks(axis, first, last);
  axis.from = axis.ticks.front();
  axis.to = axis.ticks.back();
  return axis;
}

Axis exact_axis(double low, double high, int wanted) {
  make_finite(low, high);
  Axis axis;
  axis.from = low;
  axis.to = high;
  axis.step = round_step(high - low, wanted);
  fill_ticks(axis, std::llround(std::ceil(low / axis.step - 1e-9)), std::llround(std::floor(high / axis.step + 1e-9)));
  return axis;
}

}  // namespace dpm::view
