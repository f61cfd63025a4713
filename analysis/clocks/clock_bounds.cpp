#include "analysis/clocks/clock_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace dpm {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kRounding = 1e-7L;  // of a nanosecond

}  // namespace

std::vector<ClockBounds::Point> lower_hull(std::vector<ClockBounds::Point> points) {
  using Point = ClockBounds::Point;
  const auto before = [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; };
  if (!std::is_sorted(points.begin(), points.end(), before)) std::sort(points.begin(), points.end(), before);
  std::size_t size = 0;
  for (const Point point : points) {
    if (size > 0 && points[size - 1].x == point.x) continue;
    for (; size >= 2; --size) {
      const Point &a = points[size - 2], &b = points[size - 1];
      if ((b.y - a.y) * (point.x - a.x) < (point.y - a.y) * (b.x - a.x)) break;
    }
    points[size++] = point;
  }
  points.resize(size);
  return points;
}

std::vector<ClockPoint> hull_points(std::span<const ClockPoint> points) {
  std::vector<ClockBounds::Point> relative;
  for (std::uint32_t i = 0; i < points.size(); ++i)
    relative.push_back({static_cast<ClockBounds::Number>(points[i].at_ns) - points[0].at_ns,
                        static_cast<ClockBounds::Number>(points[i].offset_ns) - points[0].offset_ns, i});
  std::vector<ClockPoint> hull;
  for (const auto& point : lower_hull(std::move(relative))) hull.push_back(points[point.origin]);
  return hull;
}

ClockBounds::ClockBounds(std::span<const ClockPoint> not_above, std::span<const ClockPoint> not_below) {
  if (not_above.empty() && not_below.empty()) return;
  const ClockPoint base = not_above.empty() ? not_below.front() : not_above.front();
  const auto relative = [&base](std::span<const ClockPoint> points) {
    Hull hull;
    for (const ClockPoint& point : points)
      hull.push_back({static_cast<Number>(point.at_ns) - static_cast<Number>(base.at_ns),
                      static_cast<Number>(point.offset_ns) - static_cast<Number>(base.offset_ns)});
    return hull;
  };
  *this = ClockBounds(relative(not_above), relative(not_below), base.at_ns, base.offset_ns);
}

ClockBounds::ClockBounds(std::vector<Point> not_above, std::vector<Point> not_below, std::int64_t base_at_ns,
                         std::int64_t base_offset_ns)
    : base_at_ns_(base_at_ns), base_offset_ns_(base_offset_ns), above_(lower_hull(std::move(not_above))) {
  for (Point& point : not_below) point.y = -point.y;
  below_ = lower_hull(std::move(not_below));
  find_drift();
}

// The point of the hull that a line of this slope, moved up from below, touches first.
const ClockBounds::Point& ClockBounds::lowest(const Hull& hull, Number slope) {
  std::size_t low = 0, high = hull.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const Point &a = hull[middle], &b = hull[middle + 1];
    if (b.y - a.y < slope * (b.x - a.x)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return hull[low];
}

// How far a line of this slope can be moved up and down between the points; negative if none fits. Concave in the
// slope.
ClockBounds::Number ClockBounds::slack(Number slope) const {
  if (above_.empty() || below_.empty()) return kInfinity;
  const Point &u = lowest(above_, slope), &l = lowest(below_, -slope);
  return (u.y - slope * u.x) - (-l.y - slope * l.x);
}

// The steepest line below all `above` and above all (mirrored) `below`, by Newton's method on the slack: it starts at a
// slope that is too steep, each step gives the slope of a line through two points, and it ends after finitely many
// steps. False if no line fits.
bool ClockBounds::steepest(const Hull& above, const Hull& below, Number* slope) const {
  *slope = kInfinity;
  const Point *u = &above.back(), *l = &below.front();
  if (u->x < l->x) return true;  // any line that rises steeply enough between them fits
  if (u->x == l->x) return u->y + l->y >= -kRounding;
  for (;;) {
    *slope = (u->y + l->y) / (u->x - l->x);
    u = &lowest(above, *slope);
    l = &lowest(below, -*slope);
    const Number room = (u->y - *slope * u->x) + (l->y + *slope * l->x);
    if (room >= -kRounding) return true;
    if (u->x <= l->x) return false;  // flatter lines have no more room
    const Number next = (u->y + l->y) / (u->x - l->x);
    if (next >= *slope) return true;  // as close as the number type allows
  }
}

void ClockBounds::find_drift() {
  if (above_.empty() || below_.empty()) return;
  const auto mirrored = [](const Hull& hull) {
    Hull turned;
    for (auto point = hull.rbegin(); point != hull.rend(); ++point) turned.push_back({-point->x, point->y});
    return turned;
  };
  Number flattest = 0;
  is_possible_ = steepest(above_, below_, &slope_high_) && steepest(mirrored(above_), mirrored(below_), &flattest);
  slope_low_ = -flattest;
  if (slope_low_ > slope_high_) slope_low_ = slope_high_ = (slope_low_ + slope_high_) / 2;  // one line, up to rounding
  drift_ = {static_cast<double>(slope_low_), static_cast<double>(slope_high_)};
}

// The highest value at x of a line that runs below the hull and has a slope in that range.
double ClockBounds::highest_at(const Hull& hull, Number x, Number slope_low, Number slope_high) {
  if (hull.empty()) return std::numeric_limits<double>::infinity();
  // Within the hull the highest value at x is on the edge there; beyond its ends, on the flattest line.
  Number slope = 0;
  if (x < hull.front().x) {
    slope = slope_low;
  } else if (x > hull.back().x) {
    slope = slope_high;
  } else {
    const auto after =
        std::upper_bound(hull.begin(), hull.end(), x, [](Number at, const Point& p) { return at < p.x; });
    if (after == hull.begin() || hull.size() == 1) {
      slope = std::clamp<Number>(0, slope_low, slope_high);
    } else {
      const auto right = after == hull.end() ? hull.end() - 1 : after;
      const auto left = right - 1;
      slope = std::clamp((right->y - left->y) / (right->x - left->x), slope_low, slope_high);
    }
  }
  if (std::isinf(slope)) return std::numeric_limits<double>::infinity();
  const Point& touched = lowest(hull, slope);
  return static_cast<double>(touched.y + slope * (x - touched.x));
}

Bounds ClockBounds::offset_at(std::int64_t at_ns) const {
  const Number x = x_of(at_ns);
  return {-highest_at(below_, x, -slope_high_, -slope_low_), highest_at(above_, x, slope_low_, slope_high_)};
}

bool ClockBounds::are_equal_possible() const {
  const Number base = base_offset_ns_;
  const bool may_be_so_low = above_.empty() || lowest(above_, 0).y >= -base;
  return may_be_so_low && (below_.empty() || lowest(below_, 0).y >= base);
}

// The slope of the line with the most room, of those that clocks have.
ClockBounds::Number ClockBounds::middle_slope() const {
  const bool is_bounded = !std::isinf(slope_low_) && !std::isinf(slope_high_);
  if (!is_bounded)
    return std::clamp<Number>(0, slope_low_, slope_high_);  // of all possible drifts, none is the most likely
  Number low = std::max<Number>(slope_low_, -kDriftMost), high = std::min<Number>(slope_high_, kDriftMost);
  if (low > high) low = slope_low_, high = slope_high_;
  for (int step = 0; step < 100 && low < high; ++step) {
    const Number third = (high - low) / 3;
    if (slack(low + third) < slack(high - third)) {
      low += third;
    } else {
      high -= third;
    }
  }
  return (low + high) / 2;
}

ClockBounds::Line ClockBounds::middle() const {
  if (are_equal_possible()) return {-static_cast<Number>(base_offset_ns_), 0};
  const Number slope = middle_slope();
  if (above_.empty()) {
    const Point& l = lowest(below_, -slope);
    return {-l.y - slope * l.x, slope};
  }
  const Number room = slack(slope);
  const Point& u = lowest(above_, slope);
  return {u.y - slope * u.x - (std::isinf(room) ? 0 : room / 2), slope};
}

double ClockBounds::middle_at(std::int64_t at_ns) const {
  const Line line = middle();
  return static_cast<double>(line.offset + line.slope * x_of(at_ns));
}

std::pair<ClockBounds::Point, ClockBounds::Point> ClockBounds::touched_by(bool is_steepest) const {
  const Number slope = is_steepest ? slope_high_ : slope_low_;
  return {lowest(above_, slope), lowest(below_, -slope)};
}

}  // namespace dpm
