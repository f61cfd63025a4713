#include "filter/possible_values.hpp"

#include <algorithm>
#include <vector>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

bool holds(Comparison comparison, std::uint64_t value, std::uint64_t bound) {
  switch (comparison) {
    case Comparison::greater:
      return value > bound;
    case Comparison::less:
      return value < bound;
    case Comparison::equal:
      return value == bound;
    case Comparison::not_equal:
      return value != bound;
    case Comparison::at_least:
      return value >= bound;
    case Comparison::at_most:
      return value <= bound;
  }
  return false;
}

}  // namespace

TEST_CASE("possible values: none are left exactly when no value satisfies all conditions", "[filter]") {
  Random random(3);
  constexpr std::uint64_t kLast = 5;
  int impossible = 0;
  for (int round = 0; round < 5'000; ++round) {
    PossibleValues values(kLast);
    std::vector<bool> satisfies(kLast + 1, true);
    for (std::uint64_t i = 0, count = random.below(8); i < count; ++i) {
      const auto comparison = static_cast<Comparison>(random.below(6));
      const std::uint64_t bound = random.below(kLast + 1);
      values.demand(comparison, bound);
      for (std::uint64_t v = 0; v <= kLast; ++v) satisfies[v] = satisfies[v] && holds(comparison, v, bound);
    }
    const bool none = std::find(satisfies.begin(), satisfies.end(), true) == satisfies.end();
    impossible += none ? 1 : 0;
    INFO("round " << round);
    REQUIRE(values.are_none() == none);
  }
  CHECK(impossible > 500);
}

TEST_CASE("possible values: of 64 bits", "[filter]") {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  PossibleValues all(kLast);
  all.demand(Comparison::not_equal, 7);
  CHECK_FALSE(all.are_none());
  all.demand(Comparison::at_least, kLast);
  CHECK_FALSE(all.are_none());
  all.demand(Comparison::greater, kLast);
  CHECK(all.are_none());
}
