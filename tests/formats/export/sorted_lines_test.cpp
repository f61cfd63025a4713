#include "formats/export/sorted_lines.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("sorted lines: they leave as a stable sort would order them, in memory and through a file", "[export]") {
  for (const std::size_t memory_bytes : {std::size_t{1} << 20, std::size_t{1} << 10, std::size_t{1}}) {
    std::mt19937 random(7);
    SortedLines lines(memory_bytes);
    std::vector<std::pair<std::int64_t, std::string>> expected;
    for (int i = 0; i < 500; ++i) {
      expected.emplace_back(static_cast<std::int64_t>(random() % 100) - 50,
                            std::to_string(i) + std::string(random() % 90, 'x'));
      lines.add(expected.back().first, expected.back().second);
    }
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> taken;
    REQUIRE(lines.take([&](std::string_view line) { taken.emplace_back(line); }));
    REQUIRE(taken.size() == expected.size());
    for (std::size_t i = 0; i < taken.size(); ++i) CHECK(taken[i] == expected[i].second);
  }
}

TEST_CASE("sorted lines: nothing added, nothing taken", "[export]") {
  SortedLines lines;
  int taken = 0;
  REQUIRE(lines.take([&](std::string_view) { ++taken; }));
  CHECK(taken == 0);
}

}  // namespace
}  // namespace dpm
