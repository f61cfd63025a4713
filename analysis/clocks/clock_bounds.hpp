// What messages prove about two clocks A and B that run evenly: B's reading minus A's, as a line over A's reading t,
//
//     offset(t) = a + b t          a: how much B is ahead of A at t = 0      b: how much faster it runs (the drift)
//
// No message arrives before it was sent. A message from A, sent at s and received at B at r, proves offset(s) <= r - s;
// one from B, sent at s and received at A at r, proves offset(r) >= s - r. So the line runs below all points of the
// first kind and above all of the second. What all such lines have in common is proven:
//
//     offset   \ v   v    v    /        v  from A: not above
//               \__v_____v____/            lower hull
//     . . . . . . . . . . . . . . . .      a line that fits
//              /‾‾^‾‾‾‾‾‾‾‾^‾\             upper hull
//       ^     /  ^     ^      \         ^  from B: not below
//
// Only the hulls matter, and the steepest and the flattest line between them bound the drift: A. Duda, G. Harrus, Y.
// Haddad, G. Bernard, "Estimating global time in distributed systems", ICDCS 1987, section 4. C. Jezequel ("Building a
// global time on parallel machines", WDAG 1989) and P. Ashton ("Algorithms for off-line clock synchronisation", 1995)
// apply it to traces. They choose one line; here all are kept, as bounds.
//
// Where one line is needed, it is that of equal clocks if it fits: a correction that no message requires would add up from
// machine to machine. Otherwise it is the line that is as far from all points as possible, and of drifts only those that
// clocks have, if one fits: a few messages within a second bound the drift so loosely that an hour could become two.
//
// Results are exact up to rounding: about 1e-9 of a nanosecond.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dpm {

struct ClockPoint {
  std::int64_t at_ns = 0;      // by A
  std::int64_t offset_ns = 0;  // B - A
};

struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  double width() const { return high - low; }
  bool has_both() const { return width() < std::numeric_limits<double>::infinity(); }
};

class ClockBounds {
 public:
  using Number = long double;  // 64 bits of mantissa: any difference of two int64 is exact
  // Relative to a reading of A and to an offset. `origin` is the caller's: what proves the point.
  struct Point {
    Number x = 0, y = 0;
    std::uint32_t origin = 0;
  };
  struct Line {
    Number offset = 0, slope = 0;  // at x = 0; relative, as the points
  };

  ClockBounds() = default;
  // The points may be in any order.
  ClockBounds(std::span<const ClockPoint> not_above, std::span<const ClockPoint> not_below);
  ClockBounds(std::vector<Point> not_above, std::vector<Point> not_below, std::int64_t base_at_ns,
              std::int64_t base_offset_ns);

  // False: no line fits, so at least one of the clocks was stepped or changed its rate. All other functions require
  // true.
  bool is_possible() const { return is_possible_; }
  Bounds drift() const { return drift_; }

  // Offsets are given as differences from `base_ns`, so that large offsets do not round nanoseconds away.
  std::int64_t base_ns() const { return base_offset_ns_; }
  Bounds offset_at(std::int64_t at_ns) const;

  // The one line (above).
  Line middle() const;
  double middle_at(std::int64_t at_ns) const;

  // The points that the steepest line touches, or the flattest: one of each kind. Both kinds are needed.
  std::pair<Point, Point> touched_by(bool is_steepest) const;

  // A quartz is off by at most 100 parts in a million, and the kernel turns its clock faster or slower by at most 500 to
  // correct it (adjtimex(2)): what two such clocks may differ by.
  static constexpr double kDriftMost = 1.2e-3;

 private:
  using Hull = std::vector<Point>;  // of points that no line may be above: their lower hull, from left to right

  static const Point& lowest(const Hull& hull, Number slope);
  static double highest_at(const Hull& hull, Number x, Number slope_low, Number slope_high);
  Number slack(Number slope) const;
  void find_drift();
  bool steepest(const Hull& above, const Hull& below, Number* slope) const;
  bool are_equal_possible() const;
  Number middle_slope() const;
  Number x_of(std::int64_t at_ns) const { return static_cast<Number>(at_ns) - static_cast<Number>(base_at_ns_); }

  std::int64_t base_at_ns_ = 0, base_offset_ns_ = 0;
  Hull above_;  // of `not_above`
  Hull below_;  // of `not_below`, mirrored: -y
  bool is_possible_ = true;
  Bounds drift_;
  Number slope_low_ = -std::numeric_limits<Number>::infinity(), slope_high_ = std::numeric_limits<Number>::infinity();
};

// Of points that no line may be above, those that a line can touch, from left to right; the others prove nothing.
std::vector<ClockBounds::Point> lower_hull(std::vector<ClockBounds::Point> points);
std::vector<ClockPoint> hull_points(std::span<const ClockPoint> points);

}  // namespace dpm
