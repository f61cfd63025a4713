#include "analysis/queues/wait_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("waits: few values have exact quantiles", "[queues]") {
  WaitDistribution waits;
  for (const std::uint64_t value : {50u, 10u, 40u, 20u, 30u}) waits.add(value);
  CHECK(waits.exact_quantiles());
  CHECK(waits.quantile_ns(0) == 10);
  CHECK(waits.quantile_ns(0.5) == 30);
  CHECK(waits.quantile_ns(0.9) == 50);
  CHECK(waits.mean_ns() == Approx(30));
  CHECK(WaitDistribution().quantile_ns(0.5) == 0);
}

TEST_CASE("waits: many values have quantiles within 1/32, and exact ends, against sorting them", "[queues]") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 5; ++round) {
    WaitDistribution waits;
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 20'000; ++i) {
      all.push_back(random() >> (random() % 64));
      waits.add(all.back());
    }
    std::sort(all.begin(), all.end());
    CHECK_FALSE(waits.exact_quantiles());
    CHECK(waits.min_ns() == all.front());
    CHECK(waits.max_ns() == all.back());
    for (const double fraction : {0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(all.size())));
      const auto exact = static_cast<double>(all[rank - 1]);
      REQUIRE(waits.quantile_ns(fraction) == Approx(exact).epsilon(1.0 / 32));
    }
    std::uint64_t counted = 0;
    for (const auto& bucket : waits.by_power()) {
      const auto low = std::lower_bound(all.begin(), all.end(), bucket.from_ns);
      const auto high = std::lower_bound(all.begin(), all.end(), bucket.to_ns);
      REQUIRE(bucket.count == static_cast<std::uint64_t>(high - low));
      counted += bucket.count;
    }
    REQUIRE(counted == waits.count());
  }
}
