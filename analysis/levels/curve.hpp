// What something has added up to since its beginning, as a curve over the clock of one machine: points at the ends of
// bins, and only of bins in which something happened.
//
//                                   ________o          o  a point: what it all adds up to at that moment
//     counts jump        o_________|        |          amounts that take time (CPU time, waiting) are straight between
//     at points    o_____|         .        .          two points, counts are level
//             -----+-----+---------+--------+------
//                 until            no point: nothing happened
//
// What lies between two moments is the difference of two values, so a window costs two searches however many events are
// in it, and the parts of any partition of time add up exactly. A curve is made coarser by leaving points out: what stays
// is exact. The width of a bin is a power of two of the finest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/floor_divide.hpp"
#include "model/time.hpp"

namespace dpm {

// Times are taken as if within +- this: a trace may be hostile.
inline constexpr std::int64_t kTimeEndNs = std::int64_t{1} << 61;

// Amounts has members for what takes time and what is counted:
//   part(numerator, denominator)   that part of what takes time, rounded down; no counts
//   operator+=, operator-=
//   kTakesTime                     false: it has counts only
template <typename Amounts>
class Curve {
 public:
  struct Point {
    LocalTime until;  // the end of its bin
    Amounts sum;      // of all before
  };

  // Adds amounts that were spread evenly over [from, to]. Intervals follow each other: `to` never decreases.
  void add_over(LocalTime from, LocalTime to, Amounts amounts, std::int64_t width_ns) {
    if (points_.empty()) begin_at(bin_end(from, width_ns), width_ns);
    const Amounts whole = amounts;
    auto spread = [&, passed = Amounts{}](LocalTime until) mutable {
      const Amounts until_there =
          until <= from ? Amounts{} : whole.part(until.ns - from.ns, std::max<std::int64_t>(to.ns - from.ns, 1));
      Amounts more = until_there;
      more -= passed;
      passed = until_there;
      amounts -= more;
      return more;
    };
    if (to > points_.back().until) {
      points_.back().sum += spread(points_.back().until);
      const LocalTime end = bin_end(to, width_ns), begin{end.ns - width_ns};
      if (Amounts::kTakesTime && points_.back().until < begin) {
        append({begin, points_.back().sum});
        points_.back().sum += spread(begin);
      }
      append({end, points_.back().sum});
    }
    points_.back().sum += amounts;
  }

  // Adds at the end of what add_over() covered.
  Amounts& sum() { return points_.back().sum; }
  const Amounts& sum() const { return points_.back().sum; }

  bool empty() const { return points_.empty(); }
  LocalTime begin() const { return points_.front().until; }
  LocalTime until() const { return points_.back().until; }

  // What it has added up to at that moment. `hint` speeds up a series of increasing moments; it begins with 0.
  Amounts at(LocalTime time, std::size_t& hint) const {
    std::size_t step = 1, low = hint;  // points_[low - 1].until <= time
    while (low + step <= points_.size() && points_[low + step - 1].until <= time) low += step, step *= 2;
    const auto next =
        std::upper_bound(points_.begin() + static_cast<std::ptrdiff_t>(low),
                         points_.begin() + static_cast<std::ptrdiff_t>(std::min(low + step, points_.size())), time,
                         [](LocalTime t, const Point& point) { return t < point.until; });
    hint = static_cast<std::size_t>(next - points_.begin());
    if (hint == 0) return {};
    const Point& before = points_[hint - 1];
    if (next == points_.end() || before.until == time) return before.sum;
    Amounts sum = before.sum;
    Amounts rise = next->sum;
    rise -= before.sum;
    sum += rise.part(time.ns - before.until.ns, next->until.ns - before.until.ns);
    return sum;
  }

  // Bins from `done` to `limit` become as wide as `width_ns`; those that would end after it half as wide, or less. `done`
  // is a multiple of the width, `limit` of `finest_ns`, and the width a power of two of it.
  void coarsen(LocalTime done, LocalTime limit, std::int64_t width_ns, std::int64_t finest_ns) {
    const std::size_t first = after(done);
    std::vector<Point> kept;
    std::size_t hint = first, i = first;
    const auto keep = [&](LocalTime at) {
      const bool is_known = kept.empty() ? first > 0 && points_[first - 1].until >= at : kept.back().until >= at;
      if (!is_known) kept.push_back({at, this->at(at, hint)});
    };
    while (i < points_.size() && points_[i].until <= limit) {
      while (width_ns > finest_ns && rounded_up(points_[i].until, width_ns) > limit) width_ns /= 2;
      const LocalTime end = rounded_up(points_[i].until, width_ns);
      if (Amounts::kTakesTime) keep({end.ns - width_ns});
      keep(end);
      while (i < points_.size() && points_[i].until <= end) ++i;
    }
    if (kept.size() >= i - first) return;
    std::copy(kept.begin(), kept.end(), points_.begin() + static_cast<std::ptrdiff_t>(first));
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(first + kept.size()),
                  points_.begin() + static_cast<std::ptrdiff_t>(i));
    if (points_.capacity() > 2 * points_.size()) points_.shrink_to_fit();
  }

  // Of the points, and of the memory that they have: at most twice as much, and a few points.
  std::size_t bytes() const { return points_.size() * sizeof(Point); }
  std::size_t bytes_reserved() const { return points_.capacity() * sizeof(Point); }
  std::size_t bytes_after(LocalTime time) const { return (points_.size() - after(time)) * sizeof(Point); }

 private:
  static LocalTime bin_end(LocalTime time, std::int64_t width_ns) {
    return {(floor_divide(time.ns, width_ns) + 1) * width_ns};
  }
  static LocalTime rounded_up(LocalTime time, std::int64_t width_ns) {
    return {-floor_divide(-time.ns, width_ns) * width_ns};
  }

  // The number of points until a moment.
  std::size_t after(LocalTime time) const {
    const auto first = std::upper_bound(points_.begin(), points_.end(), time,
                                        [](LocalTime t, const Point& point) { return t < point.until; });
    return static_cast<std::size_t>(first - points_.begin());
  }

  void begin_at(LocalTime bin_end, std::int64_t width_ns) {
    append({{bin_end.ns - width_ns}, {}});
    append({bin_end, {}});
  }

  // A vector that doubles could be half empty, and curves share a budget.
  void append(const Point& point) {
    const Point copy = point;
    if (points_.size() == points_.capacity()) points_.reserve(points_.size() + points_.size() / 2 + 2);
    points_.push_back(copy);
  }

  std::vector<Point> points_;
};

}  // namespace dpm
