#include "analysis/prediction/search.hpp"

#include <algorithm>
#include <set>

#include "analysis/prediction/lower_bound.hpp"
#include "analysis/prediction/placements.hpp"
#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/regret.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

History random_history(std::uint64_t seed, std::uint32_t processes, std::uint32_t machines, bool speeds = false) {
  RandomShape shape;
  shape.processes = processes;
  shape.machines = machines;
  shape.speeds = speeds;
  shape.cores = seed % 3 == 1;
  shape.generations = 5;
  ObviousSystem system = random_system(seed, shape);
  const auto placement = random_placement(seed, system.info);
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  return history_of(system.info, simulate(system, placement).events);
}

// Every way to put every process on every machine.
double best_by_force(const History& history, const Target& base, Order order) {
  const std::size_t machines = base.machines.size(), processes = base.machine_of.size();
  std::vector<MachineId> machine_of(processes, MachineId{0});
  double best_s = 1e99;
  Replay replay(history, base);
  for (;;) {
    best_s = std::min(best_s, replay.run(order, machine_of).elapsed_ns * 1e-9);
    std::size_t p = 0;
    while (p < processes && ++machine_of[p].value == machines) machine_of[p++].value = 0;
    if (p == processes) return best_s;
  }
}

PlacementSpace alike(std::size_t processes, std::size_t machines) {
  PlacementSpace space;
  space.processes = processes;
  for (std::size_t m = 0; m < machines; ++m) space.machines.push_back({static_cast<std::uint16_t>(m)});
  space.kind_of.assign(machines, 0);
  return space;
}

std::uint64_t count(const PlacementSpace& space) {
  return for_each_placement(space, [](const auto&) { return true; });
}

}  // namespace

TEST_CASE("placements: on machines alike there are as many as set partitions", "[prediction]") {
  CHECK(count(alike(4, 4)) == 15);
  CHECK(count(alike(4, 9)) == 15);
  CHECK(count(alike(4, 2)) == 8);
  CHECK(count(alike(10, 10)) == 115975);
  PlacementSpace different = alike(4, 3);
  different.kind_of = {0, 1, 2};
  CHECK(count(different) == 81);
}

TEST_CASE("placements: renamings are counted by kind of machine", "[prediction]") {
  PlacementSpace space{3, {{0}, {1}, {2}, {3}}, {0, 0, 0, 1}};
  CHECK(renamings_of(space, {0, 0, 0}) == 3);
  CHECK(renamings_of(space, {0, 1, 1}) == 6);
  CHECK(renamings_of(space, {0, 3, 1}) == 6);
  CHECK(renamings_of(space, {3, 3, 3}) == 1);
}

TEST_CASE("search: the bound on real machines follows from the interval, and is never below that of predictions",
          "[prediction]") {
  SearchResult found;
  found.candidates.push_back({.elapsed_s = 10});
  const auto judged = [](double elapsed_s, double low_s, double high_s) {
    JudgedPlacement placement{elapsed_s, {}};
    placement.interval.low_elapsed_s = low_s;
    placement.interval.high_elapsed_s = high_s;
    return placement;
  };
  CHECK(true_regret_bound(found, std::vector{judged(10, 9, 10.8)}) == Approx(.2));
  found.regret_bound = .1;
  CHECK(true_regret_bound(found, std::vector{judged(10, 9, 10.8)}) == Approx(.32));
  CHECK(true_regret_bound(found, std::vector{judged(10, 10, 10)}) == Approx(.1));
  found.exhaustive = true;
  found.regret_bound = 0;
  CHECK(true_regret_bound(found, std::vector{judged(10, 10, 10)}) == 0);
  // Another placement is predicted to take 11 s, and may take 8.
  CHECK(true_regret_bound(found, std::vector{judged(10, 10, 10), judged(11, 8, 14)}) == Approx(.25));
  CHECK(true_regret_bound(found, std::vector{judged(10, 10, 10), judged(20, 16, 24)}) == 0);
}

TEST_CASE("placements: every placement is a renaming of exactly one canonical placement", "[prediction]") {
  PlacementSpace space = alike(5, 4);
  space.kind_of = {0, 1, 0, 0};
  std::set<std::vector<std::uint32_t>> canonical_ones, reached;
  for_each_placement(space, [&](const auto& placement) { return canonical_ones.insert(placement).second; });
  PlacementSpace all = space;
  all.kind_of = {0, 1, 2, 3};
  for_each_placement(all, [&](const auto& placement) { return reached.insert(canonical(space, placement)), true; });
  CHECK(reached == canonical_ones);
}

TEST_CASE("search: what is found exhaustively is what brute force finds", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const Order order : {Order::recorded, Order::arrival}) {
      INFO("seed " << seed);
      const History history = random_history(seed, 5, 3, seed % 2 == 0);
      const Target base = traced_target(history);
      SearchOptions options;
      options.order = order;
      const SearchResult found = search(history, base, options).value();
      REQUIRE(found.exhaustive);
      REQUIRE(found.regret_bound == 0);
      REQUIRE(found.evaluated == found.possible);
      // Machines change names, and ties between processes do not; so results are not equal to the last bit.
      REQUIRE(found.candidates.front().elapsed_s == Approx(best_by_force(history, base, order)).epsilon(1e-9));
      REQUIRE(found.candidates.front().elapsed_s <= found.base.elapsed_s);
      REQUIRE(std::is_sorted(found.candidates.begin(), found.candidates.end(),
                             [](const Candidate& a, const Candidate& b) { return a.elapsed_s < b.elapsed_s; }));
    }
  }
}

TEST_CASE("search: devices are not candidates, unless they are named", "[prediction]") {
  const History history = random_history(1, 4, 3);
  Target base = traced_target(history);
  base.machines[1].accepts = false;
  const auto uses_device = [](const SearchResult& found) {
    return std::any_of(found.candidates.begin(), found.candidates.end(), [](const Candidate& candidate) {
      return std::find(candidate.machine_of.begin(), candidate.machine_of.end(), MachineId{1}) !=
             candidate.machine_of.end();
    });
  };
  SearchOptions options;
  options.keep = 1000;
  CHECK_FALSE(uses_device(search(history, base, options).value()));
  for (const auto& machine : base.machines) options.machines.push_back(machine.name);
  CHECK(uses_device(search(history, base, options).value()));
  for (auto& machine : base.machines) machine.accepts = false;
  options.machines.clear();
  CHECK(search(history, base, options).error().what == "search: there are no machines to place processes on");
}

TEST_CASE("search: no placement beats the lower bound", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const Order order : {Order::recorded, Order::arrival}) {
      INFO("seed " << seed);
      const History history = random_history(seed, 5, 3, seed % 2 == 0);
      const Target base = traced_target(history);
      std::vector<bool> may_move(5, true);
      std::vector<MachineId> allowed = {{0}, {1}, {2}};
      if (seed % 3 == 0) may_move[0] = may_move[1] = false;
      if (seed % 4 == 0) allowed.pop_back();
      const double bound_ns = lower_bound_ns(history, base, may_move, allowed, order);
      REQUIRE(bound_ns > 0);
      Replay replay(history, base);
      for (std::uint64_t draw = 0; draw < 60; ++draw) {
        auto machine_of = random_placement(draw, history.info);
        for (std::size_t p = 0; p < machine_of.size(); ++p) {
          if (!may_move[p]) machine_of[p] = base.machine_of[p];
          if (may_move[p] && machine_of[p].value >= allowed.size()) machine_of[p] = {0};
        }
        REQUIRE(replay.run(order, machine_of).elapsed_ns >= bound_ns * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("search: the heuristic comes close to the exhaustive best, and its regret bound holds", "[prediction]") {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    const History history = random_history(seed, 7, 4);
    const Target base = traced_target(history);
    const double best_s = search(history, base).value().candidates.front().elapsed_s;
    SearchOptions options;
    options.exhaustive_limit = 10;
    options.evaluations = 250;  // of 715
    options.seed = seed;
    const SearchResult found = search(history, base, options).value();
    REQUIRE_FALSE(found.exhaustive);
    REQUIRE(found.evaluated <= 250);
    const double regret = found.candidates.front().elapsed_s / best_s - 1;
    REQUIRE(regret >= -1e-9);
    REQUIRE(regret <= found.regret_bound + 1e-9);
    worst = std::max(worst, regret);
  }
  CHECK(worst < .03);
}

TEST_CASE("search: servers are placed on the free machines while users stay", "[prediction]") {
  ObviousSystem system = selective_server(3, 4, 10, false);
  std::vector<MachineId> placement;
  for (std::uint16_t p = 0; p < 6; ++p) placement.push_back({p});
  const History history = history_of(system.info, simulate(system, placement).events);
  SearchOptions options;
  options.movable = {"server", "disk"};
  // Machines on which others stay are machines, too. The four of the users differ, the other two are alike.
  CHECK(search(history, traced_target(history), options).value().possible == 4 * 4 + 2 * 4 + 2);
  options.machines = {"m0", "m1"};
  const SearchResult found = search(history, traced_target(history), options).value();
  CHECK(found.possible == 2);  // together or apart; machines 0 and 1 are free of users
  for (const Candidate& candidate : found.candidates) {
    CHECK(candidate.placement.machine_of_process.size() == 2);
    for (std::uint16_t p = 2; p < 6; ++p) CHECK(candidate.machine_of[p] == MachineId{p});
    CHECK(candidate.machine_of[0].value < 2);
    // The search's result for a placement is that of predicting it.
    Target target = traced_target(history);
    target.machine_of = candidate.machine_of;
    CHECK(predict(history, target).value().elapsed_s == candidate.elapsed_s);
  }
}

TEST_CASE("search: threads move with their process", "[prediction]") {
  History history = random_history(2, 6, 3);
  for (const std::uint32_t thread : {0u, 3u, 4u}) history.info.processes[thread].group = ProcessId{1};
  const Target base = traced_target(history);
  for (const std::vector<std::string>& movable : {std::vector<std::string>{}, {"p3"}, {"p1"}}) {
    SearchOptions options;
    options.movable = movable;
    options.machines = {"m0", "m1", "m2"};
    const SearchResult found = search(history, base, options).value();
    CHECK(found.possible > 1);
    CHECK(found.candidates.front().placement.machine_of_process.size() == (movable.empty() ? 3 : 1));
    CHECK(found.candidates.front().placement.machine_of_process.contains("p1"));
    for (const Candidate& candidate : found.candidates) {
      for (const std::uint32_t thread : {0u, 3u, 4u}) CHECK(candidate.machine_of[thread] == candidate.machine_of[1]);
      if (!movable.empty()) CHECK(candidate.machine_of[2] == base.machine_of[2]);
    }
  }
}

TEST_CASE("search: unknown names are refused with the nearest", "[prediction]") {
  const History history = random_history(1, 3, 2);
  SearchOptions options;
  options.movable = {"p9"};
  CHECK(search(history, traced_target(history), options).error().what ==
        "search: no process 'p9' in the trace (did you mean 'p0'?)");
  options.movable = {};
  options.machines = {"m7"};
  CHECK(search(history, traced_target(history), options).error().what ==
        "search: no machine 'm7' (did you mean 'm0'?)");
}
