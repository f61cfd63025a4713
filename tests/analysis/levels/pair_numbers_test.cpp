#include "analysis/levels/pair_numbers.hpp"

#include <map>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("pair numbers: as a map has them, also for pairs with one or no process", "[levels]") {
  Random random(7);
  PairNumbers numbers;
  std::map<std::pair<ProcessId, ProcessId>, std::size_t> known;
  const auto any = [&] {
    return random.below(20) == 0 ? ProcessId{} : ProcessId{static_cast<std::uint32_t>(random.below(80))};
  };
  for (int turn = 0; turn < 20'000; ++turn) {
    const ProcessId from = any(), to = any();
    const auto expected = known.find({from, to});
    const auto found = numbers.find(from, to);
    REQUIRE(found.has_value() == (expected != known.end()));
    if (found) {
      REQUIRE(*found == expected->second);
    } else {
      numbers.add(from, to, known.size());
      known.emplace(std::pair{from, to}, known.size());
    }
  }
}
