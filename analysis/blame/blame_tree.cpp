#include "analysis/blame/blame_tree.hpp"

#include <algorithm>

namespace dpm {

std::int64_t BlameTree::whole_ns() const { return std::max<std::int64_t>(root.total_ns(), 1); }

double BlameTree::covered() const {
  return 1 - static_cast<double>(root.of(BlamePart::not_sampled)) / static_cast<double>(whole_ns());
}

Share BlameTree::estimate(std::int64_t time_ns) const {
  const double whole = covered(), share = static_cast<double>(time_ns) / static_cast<double>(whole_ns());
  if (whole <= 0) return {};
  const double unsampled = std::max(share - whole, 0.0);
  Share estimate = mean_share(std::min(share / whole, 1.0), samples);
  estimate.value = share;
  estimate.low = estimate.low * whole + unsampled;
  estimate.high = estimate.high * whole + unsampled;
  return estimate;
}

std::optional<Share> BlameTree::interval_of(std::int64_t time_ns, std::optional<BlamePart> part) const {
  if (samples == 0 || part == BlamePart::not_sampled) return std::nullopt;
  return estimate(time_ns);
}

}  // namespace dpm
