#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"
#include "text/characters.hpp"
#include "view/matrix_order.hpp"
#include "view/text.hpp"

using namespace dpm;
using namespace dpm::view;

TEST_CASE("view: shortening never cuts a character in two", "[view]") {
  CHECK(shortened("abcdef", 4) == "abc\xE2\x80\xA6");
  CHECK(shortened("abcd", 4) == "abcd");
  CHECK(shortened("\xC3\xBC\xC3\xBC\xC3\xBC", 2) == "\xC3\xBC\xE2\x80\xA6");
}

TEST_CASE("view: numbers as people read them", "[view]") {
  const std::string thin = "\xE2\x80\x89";
  CHECK(grouped(0) == "0");
  CHECK(grouped(1234567) == "1" + thin + "234" + thin + "567");
  CHECK(fixed(-0.001, 1) == "0.0");
  CHECK(fixed(-1.25, 1).substr(0, 3) == "\xE2\x88\x92");
  CHECK(plain(0.25) == "0.25");
  CHECK(plain(1176) == "1176");
  CHECK(percent(0.273) == "27" + thin + "%");
  CHECK(percent(0.004) == "0.4" + thin + "%");
  CHECK(signed_percent(3) == "+3.0" + thin + "%");
  CHECK(bytes(999) == "999" + thin + "B");
  CHECK(bytes(999.7) == "1" + thin + "kB");
  CHECK(seconds(0.0125) == "12.5" + thin + "ms");
  CHECK(seconds(42) == "42" + thin + "s");
  CHECK(fixed(std::nan(""), 2) == "\xE2\x80\x93");
}

TEST_CASE("view: processes that talk stand together, and never worse than in the order they came", "[view]") {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const std::size_t count = 2 + random() % 6;
    std::vector<std::vector<double>> traffic(count, std::vector<double>(count, 0));
    for (auto& row : traffic) {
      for (auto& value : row) value = random() % 3 == 0 ? static_cast<double>(random() % 100) : 0;
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = distance_from_diagonal(traffic, order);
    const double unordered = best;
    do {
      best = std::min(best, distance_from_diagonal(traffic, order));
    } while (std::next_permutation(order.begin(), order.end()));
    auto found = order_for_diagonal(traffic);
    const double distance = distance_from_diagonal(traffic, found);
    REQUIRE(distance <= std::max(unordered, best * 1.25));
    std::sort(found.begin(), found.end());
    REQUIRE(found == order);  // a permutation: next_permutation came back to the first
  }
  // A chain that was shuffled is found again.
  std::vector<std::vector<double>> chain(9, std::vector<double>(9, 0));
  for (std::size_t i = 0; i + 1 < 9; ++i) chain[i * 4 % 9][(i + 1) * 4 % 9] = 10;
  CHECK(distance_from_diagonal(chain, order_for_diagonal(chain)) == 80);
}
