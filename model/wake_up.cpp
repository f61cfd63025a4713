#include "model/wake_up.hpp"

#include <algorithm>
#include <cmath>

namespace dpm {
namespace {

bool is_negative(const WakeUp& costs) {
  return !(costs.delivery_s >= 0 && costs.sender_cpu_s >= 0 && costs.receiver_cpu_s >= 0);
}

WakeUp between(const WakeUp& low, const WakeUp& high, double share) {
  return {.delivery_s = std::lerp(low.delivery_s, high.delivery_s, share),
          .sender_cpu_s = std::lerp(low.sender_cpu_s, high.sender_cpu_s, share),
          .receiver_cpu_s = std::lerp(low.receiver_cpu_s, high.receiver_cpu_s, share)};
}

}  // namespace

Result<WakeUps> WakeUps::through(std::vector<Point> points) {
  if (points.empty()) return Error{"a wake-up needs at least one point"};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].idle_s >= 0) || is_negative(points[i].costs)) return Error{"times must not be negative"};
    if (i > 0 && points[i].idle_s <= points[i - 1].idle_s) return Error{"'idle_s' must increase from point to point"};
  }
  WakeUps wake_ups;
  wake_ups.points_ = std::move(points);
  return wake_ups;
}

WakeUp WakeUps::after(double idle_s) const {
  if (points_.empty()) return {};
  const auto above = std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.idle_s >= idle_s; });
  if (above == points_.begin()) return above->costs;
  if (above == points_.end()) return points_.back().costs;
  const Point& below = *(above - 1);
  return between(below.costs, above->costs, (idle_s - below.idle_s) / (above->idle_s - below.idle_s));
}

bool WakeUps::is_free() const {
  return std::all_of(points_.begin(), points_.end(), [](const Point& point) { return point.costs.is_free(); });
}

}  // namespace dpm
