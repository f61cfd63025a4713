#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"
#include "view/axis.hpp"
#include "view/graph_layout.hpp"
#include "view/matrix_order.hpp"
#include "view/text.hpp"

using namespace dpm::view;

TEST_CASE("view: text is escaped, and bytes that are not UTF-8 are replaced", "[view]") {
  CHECK(escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escaped("gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
  CHECK(escaped("\xC3") == "\xEF\xBF\xBD");
  CHECK(escaped("\xED\xA0\x80x").find("\xED\xA0") == std::string::npos);  // a surrogate
  CHECK(escaped(std::string("\0\x1b", 2)) == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("view: any bytes become text that is escaped and valid", "[view]") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string noise(random() % 20, ' ');
    for (auto& c : noise) c = static_cast<char>(random());
    const std::string safe = escaped(noise);
    REQUIRE(safe.find_first_of("<>\"'") == std::string::npos);
    for (const char c : safe) REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t'));
    REQUIRE(escaped(shortened(safe, 5)).size() <= 5 * 8 + 3);
  }
}

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
  CHECK(coordinate(-0.01) == "0");
}

TEST_CASE("view: axis ticks are round, cover the values, and are few", "[view]") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-9, 9);
  for (int round = 0; round < 500; ++round) {
    const double low = (random() % 2 == 0 ? 1 : -1) * std::pow(10, exponent(random));
    const double high = low + std::pow(10, exponent(random));
    const Axis axis = round_axis(low, high, 5);
    REQUIRE(axis.ticks.size() >= 2);
    REQUIRE(axis.ticks.size() <= 8);
    REQUIRE(axis.from <= low + 1e-6 * axis.step);
    REQUIRE(axis.to >= high - 1e-6 * axis.step);
  }
  CHECK(round_axis(1, 7, 9, true).ticks == std::vector<double>{1, 2, 3, 4, 5, 6, 7});
  CHECK(round_axis(5, 5, 5).ticks.size() >= 2);
  CHECK(round_axis(std::nan(""), 1, 5).from == 0);
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

TEST_CASE("view: boxes of a graph do not overlap, in either layout", "[view]") {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    Graph graph;
    graph.layout = round % 2 == 0 ? GraphLayout::layered : GraphLayout::circle;
    const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 12);
    graph.nodes.resize(count);
    for (int i = 0; i < 20; ++i) {
      graph.arcs.push_back({static_cast<std::uint32_t>(random() % count), static_cast<std::uint32_t>(random() % count),
                            static_cast<double>(random() % 100), "", ""});
    }
    const std::vector<BoxSize> sizes(count, {100, 40});
    const auto placed = place_nodes(graph, sizes, 1084);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        const bool apart = std::fabs(placed.centres[a].x - placed.centres[b].x) >= 99.9 ||
                           std::fabs(placed.centres[a].y - placed.centres[b].y) >= 39.9;
        REQUIRE(apart);
      }
    }
  }
}
