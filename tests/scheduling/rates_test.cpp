#include <cmath>

#include "model/random.hpp"
#include "scheduling/decisions/rate_series.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

// One slice a second.
RateSeries series(const std::vector<std::uint64_t>& done_by_second, std::size_t slices_max = 100) {
  RateSeries rates(Duration::from_seconds(1), slices_max);
  rates.begin({0}, 1000);
  std::uint64_t done = 1000;
  for (std::size_t i = 0; i < done_by_second.size(); ++i)
    rates.add({static_cast<std::int64_t>(i + 1) * kSecondNs}, done += done_by_second[i]);
  return rates;
}

}  // namespace

TEST_CASE("rates: the mean is of all slices, whatever their lengths, and what is not a slice yet does not count",
          "[scheduling]") {
  RateSeries rates(Duration::from_seconds(1), 100);
  rates.add({5}, 7);  // before begin(): nothing is known
  CHECK(rates.summary().slices == 0);
  rates.begin({0}, 0);
  rates.add({kSecondNs / 2}, 50);
  CHECK(rates.summary().slices == 0);
  rates.add({kSecondNs}, 100);
  rates.add({4 * kSecondNs}, 500);
  rates.add({4 * kSecondNs + 1}, 900);
  CHECK(rates.summary().slices == 2);
  CHECK(rates.summary().mean == Approx(125));
  CHECK(rates.summary(1).mean == Approx(400 / 3.));
}

TEST_CASE("rates: only the last slices are kept", "[scheduling]") {
  const auto rates = series({1, 1, 9, 11}, 2);
  CHECK(rates.summary().slices == 2);
  CHECK(rates.summary().mean == Approx(10));
  CHECK(rates.summary().deviation == Approx(.1 * std::sqrt(2.)));
}

TEST_CASE("rates: slices that are alike by chance have the error of those that they are compared with",
          "[scheduling]") {
  const auto unsteady = series({5, 15, 10, 10}).summary(), alike = series({12, 12}).summary();
  CHECK(alike.deviation == 0);
  const auto gain = gain_of(unsteady, alike);
  REQUIRE(gain);
  CHECK(gain->gain == Approx(.2));
  CHECK(gain->error == Approx(1.2 * unsteady.deviation * std::sqrt(1 / 4. + 1 / 2.)));
  CHECK(!gain_of(series({0, 0}).summary(), alike));
  CHECK(!gain_of(alike, series({}).summary()));
}

// Against the obvious way: two series of the same work differ by more than two standard errors about once in twenty times.
TEST_CASE("rates: where nothing has changed, a difference is seldom clear", "[scheduling]") {
  Random random(1);
  int clear = 0;
  constexpr int kTimes = 2000;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<std::uint64_t> before, after;
    for (int slice = 0; slice < 10; ++slice) before.push_back(900 + random.below(201));
    for (int slice = 0; slice < 10; ++slice) after.push_back(900 + random.below(201));
    const auto gain = gain_of(series(before).summary(), series(after).summary());
    clear += std::abs(gain->gain) > 2 * gain->error ? 1 : 0;
  }
  CHECK(clear > kTimes / 200);
  CHECK(clear < kTimes / 12);
}
