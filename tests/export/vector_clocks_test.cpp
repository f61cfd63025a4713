#include "export/vector_clocks.hpp"

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
  computation.processes = 1 + below(5);
  const std::uint32_t events = below(40);
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

TEST_CASE("vector clocks: one clock is smaller than another exactly where its event happened before", "[export]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::minstd_rand random(seed + 1);
    const Computation computation = random_computation(random);
    std::map<std::uint32_t, std::vector<std::uint32_t>> clocks;
    std::vector<std::uint32_t> order;
    VectorClocks vector_clocks(computation.process_of, computation.processes, computation.arcs);
    const auto circles = vector_clocks.visit([&](std::uint32_t event, std::span<const std::uint32_t> clock) {
      clocks[event].assign(clock.begin(), clock.end());
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

TEST_CASE("vector clocks: a circle of a damaged trace is cut, and each event is visited once", "[export]") {
  const std::vector<std::uint32_t> process_of = {0, 0, 1, 1};
  VectorClocks clocks(process_of, 2, {{1, 2}, {3, 0}});
  std::vector<std::uint32_t> order;
  CHECK(clocks.visit([&](std::uint32_t event, std::span<const std::uint32_t>) { order.push_back(event); }) == 1);
  CHECK(order == std::vector<std::uint32_t>{0, 1, 2, 3});
}

}  // namespace
}  // namespace dpm
