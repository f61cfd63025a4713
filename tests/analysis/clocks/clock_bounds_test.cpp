// Two clocks: by hand, against a search over all pairs of points, and against clocks with known truth.
#include "analysis/clocks/clock_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/clocks/clock_reading.hpp"
#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

struct Points {
  std::vector<ClockPoint> not_above, not_below;
};

// The linear program, solved in the obvious way: the optimum is where two of the limits meet.
class AllCorners {
 public:
  AllCorners(const Points& points) {
    for (const auto& p : points.not_above) limits_.push_back({1.0L * p.at_ns, 1.0L * p.offset_ns, true});
    for (const auto& p : points.not_below) limits_.push_back({1.0L * p.at_ns, 1.0L * p.offset_ns, false});
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto &p = limits_[i], &q = limits_[j];
        if (p.x != q.x) try_line((p.y - q.y) / (p.x - q.x), p);
      }
      for (const long double slope : {-kSteep, kSteep}) try_line(slope, limits_[i]);
    }
  }

  bool is_possible() const { return !corners_.empty(); }

  Bounds drift() const {
    Bounds bounds{1e30, -1e30};
    for (const auto& [slope, offset] : corners_) {
      bounds.low = std::min(bounds.low, static_cast<double>(slope));
      bounds.high = std::max(bounds.high, static_cast<double>(slope));
    }
    return bounds;
  }
  Bounds offset_at(std::int64_t at) const {
    Bounds bounds{1e30, -1e30};
    for (const auto& [slope, offset] : corners_) {
      const double value = static_cast<double>(offset + slope * static_cast<long double>(at));
      bounds.low = std::min(bounds.low, value);
      bounds.high = std::max(bounds.high, value);
    }
    return bounds;
  }

  static constexpr long double kSteep = 1e6L;  // stands for any slope

 private:
  struct Limit {
    long double x = 0, y = 0;
    bool above = false;
  };
  void try_line(long double slope, const Limit& through) {
    const long double offset = through.y - slope * through.x;
    for (const Limit& limit : limits_) {
      const long double room = (offset + slope * limit.x - limit.y) * (limit.above ? -1 : 1);
      if (room < -1e-5L) return;
    }
    corners_.push_back({slope, offset});
  }

  std::vector<Limit> limits_;
  std::vector<std::pair<long double, long double>> corners_;
};

double low_at(const ClockBounds& bounds, std::int64_t at) {
  return bounds.offset_at(at).low + static_cast<double>(bounds.base_ns());
}
double high_at(const ClockBounds& bounds, std::int64_t at) {
  return bounds.offset_at(at).high + static_cast<double>(bounds.base_ns());
}

bool same(double mine, double slow, double scale) {
  if (std::isinf(mine)) return std::abs(slow) > scale;
  return std::abs(mine - slow) <= 1e-4 + 1e-9 * std::abs(slow);
}

double middle_drift(const ClockBounds& bounds) { return static_cast<double>(bounds.middle().slope); }

double offset_after_a_second(const ClockBounds& bounds) {
  return static_cast<double>(bounds.base_ns()) + bounds.middle_at(1'000'000'000);
}

}  // namespace

TEST_CASE("clock bounds: messages both ways bound the offset, and more of them the drift", "[clocks]") {
  const ClockBounds one({{{100, 40}}}, {{{100, 10}}});
  CHECK(one.is_possible());
  CHECK(low_at(one, 100) == 10);
  CHECK(high_at(one, 100) == 40);
  CHECK_FALSE(one.offset_at(101).has_both());
  CHECK_FALSE(one.drift().has_both());
  const ClockBounds two({{{0, 10}, {1000, 12}}}, {{{0, 0}, {1000, 2}}});
  CHECK(two.drift().low == Approx(-.008));
  CHECK(two.drift().high == Approx(.012));
  CHECK(high_at(two, 2000) == Approx(24));
  // The most that clocks have: with .002 there would be as much room above as below.
  CHECK(middle_drift(two) == Approx(ClockBounds::kDriftMost));
}

TEST_CASE("clock bounds: what no message requires is not taken for a difference of clocks", "[clocks]") {
  const ClockBounds equal({{{0, 500}, {1000, 40}}}, {{{0, -3}, {1000, -300}}});
  CHECK(equal.drift().high < 0.1);
  CHECK(middle_drift(equal) == 0);
  CHECK(offset_after_a_second(equal) == 0);
  // Bounded within a microsecond, by points 450 and 700 apart: the drift may be anything up to -0.46.
  const ClockBounds apart({{{0, 500}, {1000, 540}}}, {{{0, 50}, {1000, -160}}});
  CHECK(apart.drift().low == Approx(-.66));
  CHECK(std::abs(offset_after_a_second(apart)) <= ClockBounds::kDriftMost * 1e9 + 540);
  // Clocks that differ more than any do are what their messages say.
  const ClockBounds fast({{{0, 10}, {1000, 112}}}, {{{0, 0}, {1000, 100}}});
  CHECK(middle_drift(fast) >= .1);
  CHECK(middle_drift(fast) <= .102);
}

TEST_CASE("clock bounds: messages one way bound from one side", "[clocks]") {
  const ClockBounds bounds({{{0, 10}, {100, 20}, {50, 12}}}, {});
  CHECK(bounds.is_possible());
  CHECK(high_at(bounds, 50) == 12);
  CHECK(high_at(bounds, 75) == Approx(16));
  CHECK(std::isinf(bounds.offset_at(50).low));
  CHECK(std::isinf(bounds.offset_at(101).high));
  CHECK(std::isinf(bounds.drift().low));
  CHECK_FALSE(ClockBounds().offset_at(0).has_both());
}

TEST_CASE("clock bounds: points that no line explains are impossible", "[clocks]") {
  CHECK_FALSE(ClockBounds({{{100, 10}}}, {{{100, 11}}}).is_possible());
  CHECK_FALSE(ClockBounds({{{0, 10}, {200, 10}}}, {{{100, 11}}}).is_possible());
  CHECK(ClockBounds({{{0, 10}, {200, 10}}}, {{{100, 10}}}).is_possible());
  CHECK(ClockBounds({{{0, 10}}}, {{{100, 1000}}}).is_possible());
}

TEST_CASE("clock bounds: hulls give what a search over all pairs of points gives", "[clocks]") {
  std::size_t impossible = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    Points points;
    const std::uint64_t spread = 1 + random.below(200);
    const std::int64_t gap = static_cast<std::int64_t>(random.below(60)) - 15;
    for (std::uint64_t i = random.below(8) + 1; i > 0; --i)
      points.not_above.push_back(
          {static_cast<std::int64_t>(random.below(spread)), static_cast<std::int64_t>(random.below(50)) + gap});
    for (std::uint64_t i = random.below(8) + 1; i > 0; --i)
      points.not_below.push_back(
          {static_cast<std::int64_t>(random.below(spread)), -static_cast<std::int64_t>(random.below(50))});
    const ClockBounds bounds(points.not_above, points.not_below);
    const AllCorners slow(points);
    INFO("seed " << seed);
    REQUIRE(bounds.is_possible() == slow.is_possible());
    impossible += slow.is_possible() ? 0 : 1;
    if (!slow.is_possible()) continue;
    CHECK(same(bounds.drift().low, slow.drift().low, 1e5));
    CHECK(same(bounds.drift().high, slow.drift().high, 1e5));
    for (const std::int64_t at : {-100, 0, 3, 17, 50, 100, 199, 500}) {
      INFO("at " << at);
      const auto base = static_cast<double>(bounds.base_ns());
      CHECK(same(bounds.offset_at(at).low + base, slow.offset_at(at).low, 1e5));
      CHECK(same(bounds.offset_at(at).high + base, slow.offset_at(at).high, 1e5));
      const double middle = bounds.middle_at(at);
      CHECK(middle >= bounds.offset_at(at).low - 1e-4);
      CHECK(middle <= bounds.offset_at(at).high + 1e-4);
    }
  }
  CHECK(impossible > 30);
  CHECK(impossible < 2900);
}

TEST_CASE("clock bounds: of the points only the hull matters", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    std::vector<ClockPoint> points;
    for (int i = 0; i < 200; ++i)
      points.push_back({static_cast<std::int64_t>(random.below(1000)), static_cast<std::int64_t>(random.below(1000))});
    const auto hull = hull_points(points);
    CHECK(hull.size() < points.size() / 4);
    const ClockBounds all(points, {}), few(hull, {});
    for (std::int64_t at = 0; at < 1000; at += 37) CHECK(high_at(all, at) == Approx(high_at(few, at)).margin(1e-6));
  }
}

TEST_CASE("clock reading: exact for times of this age, and within 146 years of zero for all others", "[clocks]") {
  constexpr std::int64_t most = std::int64_t{1} << 62, time = 1'790'000'000'123'456'789;
  CHECK(clock_reading_ns(time, -7, 2.4) == time - 5);
  CHECK(clock_reading_ns(time, -time, -0.5) == -1);
  CHECK(clock_reading_ns(most - 1, most - 1, 0) == most);
  CHECK(clock_reading_ns(61'499'999, 0, 1e300) == most);
  CHECK(clock_reading_ns(61'499'999, 0, -std::numeric_limits<double>::infinity()) == -most);
  CHECK(clock_reading_ns(5, 6, std::numeric_limits<double>::quiet_NaN()) == 0);
}
