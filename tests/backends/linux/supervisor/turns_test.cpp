// Which thread may take what waits in a socket that several threads read, and what becomes of a call by what was seen.
#include "backends/linux/supervisor/turns.hpp"

#include "backends/linux/supervisor/receive_decision.hpp"
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

TEST_CASE("receives: a call that may not wait and finds nothing is answered, where it can only fail so", "[linux]") {
  const QueueSight nothing{.takes_nothing = true};
  CHECK(decide({.may_wait = true}, nothing, false) == ReceiveDecision::wait_for_data);
  CHECK(decide({.may_wait = false, .may_be_answered = true}, nothing, false) == ReceiveDecision::answer_again);
  CHECK(decide({.may_wait = false}, nothing, false) == ReceiveDecision::let_go);
  // Of a pipe the counters will tell.
  CHECK(decide({.may_wait = false}, {}, false) == ReceiveDecision::record);
}

TEST_CASE("receives: what is there is recorded, unless another thread may be taking it", "[linux]") {
  const QueueSight data{.readable = true, .bytes = 10};
  for (const bool may_wait : {false, true}) {
    const ReceiveTerms terms{.may_wait = may_wait, .may_be_answered = true};
    CHECK(decide(terms, data, false) == ReceiveDecision::record);
    CHECK(decide(terms, data, true) == ReceiveDecision::wait_for_turn);
    CHECK(decide(terms, {.readable = true, .takes_nothing = true}, false) == ReceiveDecision::let_go);
  }
}

TEST_CASE("receives: one that waits for all is recorded when it is made", "[linux]") {
  CHECK(decide({.may_wait = true, .takes_all = true}, {}, false) == ReceiveDecision::record);
}

}  // namespace dpm
