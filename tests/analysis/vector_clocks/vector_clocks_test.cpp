#include "analysis/vector_clocks/vector_clocks.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct Computation {
  std::vector<std::uint32_t> process_of;
  std::uint32_t processes = 0;
  std::vector<CausalArc> arcs;
};

// Arcs lead from earlier to later events of one true order, in which the events are then renumbered at random, so that a
// RECEIVE may have a smaller number than its SEND.
Computation random_computation(std::minstd_rand& random) {
  Computation computation;
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  // Many processes make clocks that are arrays.
  computation.processes = below(4) == 0 ? 30 : 1 + below(5);
  const std::uint32_t events = below(4) == 0 ? 120 : below(40);
  std::vector<std::uint32_t> process_by_order;
  for (std::uint32_t i = 0; i < events; ++i) process_by_order.push_back(below(computation.processes));
  // As a trace delivers them: shuffled between processes, each process in its order.
  std::vector<std::uint32_t> slots = process_by_order;
  std::shuffle(slots.begin(), slots.end(), random);
  std::map<std::uint32_t, std::vector<std::uint32_t>> numbers;
  for (std::uint32_t number = 0; number < events; ++number) numbers[slots[number]].push_back(number);
  std::map<std::uint32_t, std::size_t> next;
  std::vector<std::uint32_t> number_of;  // by true order
  for (const std::uint32_t process : process_by_order) number_of.push_back(numbers[process][next[process]++]);
  computation.process_of = slots;
  for (std::uint32_t i = 0; i < events * 2 && events > 1; ++i) {
    const std::uint32_t a = below(events), b = below(events);
    if (a < b) computation.arcs.push_back({number_of[a], number_of[b]});
  }
  return computation;
}

// The obvious way: reachability, by trying every event in between.
std::vector<std::vector<bool>> happened_before(const Computation& computation) {
  const std::size_t events = computation.process_of.size();
  std::vector<std::vector<bool>> before(events, std::vector<bool>(events));
  for (std::size_t a = 0; a < events; ++a)
    for (std::size_t b = a + 1; b < events; ++b)
      if (computation.process_of[a] == computation.process_of[b]) before[a][b] = true;
  for (const CausalArc& arc : computation.arcs) before[arc.cause][arc.effect] = true;
  for (std::size_t between = 0; between < events; ++between)
    for (std::size_t a = 0; a < events; ++a)
      for (std::size_t b = 0; b < events; ++b)
        if (before[a][between] && before[between][b]) before[a][b] = true;
  return before;
}

bool is_smaller(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return a != b;
}

TEST_CASE("vector clocks: one clock is smaller than another exactly where its event happened before",
          "[vector_clocks]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::minstd_rand random(seed + 1);
    const Computation computation = random_computation(random);
    std::map<std::uint32_t, std::vector<std::uint32_t>> clocks;
    std::vector<std::uint32_t> order;
    VectorClocks vector_clocks(computation.process_of, computation.processes, computation.arcs);
    const auto circles = vector_clocks.visit([&](std::uint32_t event, const VectorClock& clock) {
      clocks[event].resize(computation.processes);
      for (std::uint32_t p = 0; p < computation.processes; ++p) clocks[event][p] = clock.count_of(p);
      order.push_back(event);
    });
    REQUIRE(circles == 0);
    REQUIRE(clocks.size() == computation.process_of.size());
    const auto before = happened_before(computation);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = 0; j < order.size(); ++j) {
        REQUIRE(is_smaller(clocks[order[i]], clocks[order[j]]) == before[order[i]][order[j]]);
        if (before[order[i]][order[j]]) REQUIRE(i < j);
      }
  }
}

TEST_CASE("vector clocks: a circle of a damaged trace is cut, and each event is visited once", "[vector_clocks]") {
  const std::vector<std::uint32_t> process_of = {0, 0, 1, 1};
  VectorClocks clocks(process_of, 2, {{1, 2}, {3, 0}});
  std::vector<std::uint32_t> order;
  CHECK(clocks.visit([&](std::uint32_t event, const VectorClock&) { order.push_back(event); }) == 1);
  CHECK(order == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("vector clocks: a list and an array know the same", "[vector_clocks]") {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    std::map<std::uint32_t, std::uint32_t> one_said, other_said;
    VectorClock one, other;
    const std::uint32_t processes = 1 + static_cast<std::uint32_t>(random() % 200);
    const auto say = [&](VectorClock& clock, std::map<std::uint32_t, std::uint32_t>& said, std::uint32_t times) {
      for (std::uint32_t i = 0; i < times; ++i) {
        const auto process = static_cast<std::uint32_t>(random() % processes);
        const auto count = static_cast<std::uint32_t>(1 + random() % 50);
        clock.raise(process, count);
        said[process] = std::max(said[process], count);
      }
    };
    say(one, one_said, static_cast<std::uint32_t>(random() % 150));
    say(other, other_said, static_cast<std::uint32_t>(random() % 150));
    one.join(other);
    for (const auto& [process, count] : other_said) one_said[process] = std::max(one_said[process], count);
    std::map<std::uint32_t, std::uint32_t> told;
    one.for_each([&](std::uint32_t process, std::uint32_t count) { told[process] = count; });
    REQUIRE(told == one_said);
    for (std::uint32_t p = 0; p < processes; ++p) REQUIRE(one.count_of(p) == (one_said.contains(p) ? one_said[p] : 0));
  }
}

}  // namespace
}  // namespace dpm
