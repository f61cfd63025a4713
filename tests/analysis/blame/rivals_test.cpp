// Which process had the CPU in a simulation: by hand.
#include "backends/sim/cpu_rivals.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sim {

TEST_CASE("sim: while n processes share a CPU, each waits as long for each of the others", "[sim]") {
  CpuRivals rivals(1);
  rivals.begins(1, {0});
  rivals.begins(2, {100});                 // 1 was alone for 100
  rivals.begins(3, {300});                 // two for 200: each waited 100
  rivals.ends(2, {600});                   // three for 300: each waited 200, 100 for each other
  const auto pairs = rivals.pairs({700});  // two for 100
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].first == 1);
  CHECK(pairs[0].second == 2);
  CHECK(pairs[0].waited_ns == Approx(200));
  CHECK(pairs[1].waited_ns == Approx(150));  // 1 and 3
  CHECK(pairs[2].waited_ns == Approx(100));  // 2 and 3
}

TEST_CASE("sim: a process waits only if there are more than cores", "[sim]") {
  CpuRivals rivals(2);
  rivals.begins(1, {0});
  rivals.begins(2, {0});
  CHECK(rivals.pairs({90}).empty());
  CpuRivals three(2);
  for (const std::uint32_t rank : {1u, 2u, 3u}) three.begins(rank, {0});
  for (const auto& pair : three.pairs({90})) CHECK(pair.waited_ns == Approx(15));  // each waits a third, for two others
}

}  // namespace dpm::sim
