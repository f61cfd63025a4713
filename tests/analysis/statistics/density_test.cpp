#include "analysis/statistics/density.hpp"

#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("density: nothing seen, no buckets", "[statistics]") { CHECK(DensityHistogram(8).counts().empty()); }

TEST_CASE("density: the drawing in the header", "[statistics]") {
  DensityHistogram density(4);
  for (const int time : {0, 0, 2, 3, 3, 3, 3}) density.add({time});
  CHECK(density.counts() == std::vector<std::uint64_t>{2, 0, 1, 4});
  density.add({4});
  CHECK(density.width().ns == 2);
  CHECK(density.counts() == std::vector<std::uint64_t>{2, 5, 1});
  CHECK(density.per_second(1) == Approx(5 / 2e-9));
}

TEST_CASE("density: every count is kept and lies in its bucket, whatever the order of times", "[statistics]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t buckets_max = 2 + random() % 20;
    DensityHistogram density(buckets_max);
    std::vector<std::int64_t> times;
    const auto range = std::int64_t{1} << (random() % 40);
    for (int i = 0; i < 60; ++i) {
      times.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * range)) - range);
      density.add({times.back()});
    }
    REQUIRE(density.counts().size() <= buckets_max);
    std::vector<std::uint64_t> expected(density.counts().size(), 0);
    for (const auto time : times) {
      const auto offset = time - density.begin().ns;
      REQUIRE(offset >= 0);
      ++expected.at(static_cast<std::size_t>(offset / density.width().ns));
    }
    REQUIRE(density.counts() == expected);
  }
}

TEST_CASE("density: the first and the last times that there are", "[statistics]") {
  constexpr std::int64_t kLast = (std::int64_t{1} << 62) - 1;
  for (const std::size_t buckets_max : {2, 3, 120}) {
    DensityHistogram density(buckets_max);
    for (const auto time : {-kLast, kLast, std::int64_t{0}}) density.add({time});
    CHECK(density.counts().size() <= buckets_max);
    CHECK(std::accumulate(density.counts().begin(), density.counts().end(), std::uint64_t{0}) == 3);
  }
}
