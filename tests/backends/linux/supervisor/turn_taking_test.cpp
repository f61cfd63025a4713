// Which thread may take the data that waits in a socket that several threads read.
#include "backends/linux/supervisor/turn_taking.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kSocket = 7;

std::size_t takers(Turns& turns) {
  return turns.still_taking(kSocket, [](const Turns::Taker&) { return false; });
}

}  // namespace

TEST_CASE("turns: a thread takes its share until it has been seen elsewhere", "[linux]") {
  Turns turns;
  CHECK(takers(turns) == 0);
  turns.give(kSocket, {.tid = 1});
  turns.give(kSocket, {.tid = 2});
  CHECK(takers(turns) == 2);
  turns.left(kSocket, 1);
  turns.left(kSocket, 3);
  CHECK(takers(turns) == 1);
  turns.left(kSocket, 2);
  CHECK(turns.size() == 0);
}

TEST_CASE("turns: a datagram is the same by its length and beginning", "[linux]") {
  const QueueFront seen{.bytes = 30, .beginning = 99};
  CHECK(is_same_data(seen, {.bytes = 30, .beginning = 99}));
  CHECK_FALSE(is_same_data(seen, {.bytes = 31, .beginning = 99}));
  CHECK_FALSE(is_same_data(seen, {.bytes = 30, .beginning = 98}));
}

TEST_CASE("turns: what waits in a stream grows by itself, and shrinks when some of it is taken", "[linux]") {
  const QueueFront seen{.bytes = 30, .stream = true};
  CHECK(is_same_data(seen, {.bytes = 30, .stream = true}));
  CHECK(is_same_data(seen, {.bytes = 50, .stream = true}));
  CHECK_FALSE(is_same_data(seen, {.bytes = 29, .stream = true}));
}

TEST_CASE("turns: sleep elsewhere, CPU time and a long absence show that a thread has left", "[linux]") {
  Turns::Taker taker{.tid = 1, .since_ns = 1000};
  CHECK_FALSE(Turns::has_left(taker, {.cpu_ns = 5'000'000}, 2000));  // what it had used before says nothing
  CHECK_FALSE(Turns::has_left(taker, {.cpu_ns = 5'100'000}, 3000));
  const std::uint64_t once = 5'000'000 + Turns::kTakesAtMostCpuNs, twice = once + Turns::kTakesAtMostCpuNs;
  CHECK_FALSE(Turns::has_left(taker, {.cpu_ns = once}, 4000));
  CHECK(Turns::has_left(taker, {.cpu_ns = twice}, 5000));
  CHECK(Turns::has_left(taker, {.cpu_ns = 5'000'000, .sleeps_elsewhere = true}, 3000));
  CHECK(Turns::has_left(taker, {.cpu_ns = 5'000'000}, 1000 + Turns::kTakesAtMostNs));
}

TEST_CASE("turns: a thread whose CPU the host takes away in its call does not seem to compute", "[linux]") {
  Turns::Taker taker{.tid = 1, .since_ns = 1000};
  CHECK_FALSE(Turns::has_left(taker, {.cpu_ns = 5'000'000}, 2000));
  const std::uint64_t taken = 5'000'000 + 30 * Turns::kTakesAtMostCpuNs;  // counts as the thread's
  for (std::int64_t now_ns = 3000; now_ns < 10'000; now_ns += 1000)
    CHECK_FALSE(Turns::has_left(taker, {.cpu_ns = taken}, now_ns));
}

}  // namespace dpm
