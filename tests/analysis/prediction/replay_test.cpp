// The replay against a simulation that shares none of its code.
#include "analysis/history/replay.hpp"

#include <cmath>

#include "analysis/behaviour/behaviour.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using Rule = DestinationChoice::Rule;

// Arrivals are whole nanoseconds; a message sent at exactly half a nanosecond may be rounded either way.
constexpr double kRounding = 1e-8;

RandomShape shape_of(std::uint64_t seed) {
  RandomShape shape;
  shape.processes = 2 + static_cast<std::uint32_t>(seed % 9);
  shape.machines = 1 + static_cast<std::uint32_t>(seed % 5);
  shape.first_messages = 1 + static_cast<std::uint32_t>(seed % 3);
  shape.constant_times = seed % 4 == 0;
  shape.message_cpu = seed % 3 == 0;
  shape.speeds = seed % 5 == 1;
  shape.data = seed % 2 == 0;
  shape.created = seed % 7 == 3;
  shape.cores = seed % 11 < 5;
  return shape;
}

struct Traced {
  ObviousSystem system;
  std::vector<MachineId> placement;
  ObviousRun run;
  History history;

  Traced(ObviousSystem s, std::uint64_t seed) : system(std::move(s)) {
    placement = random_placement(seed + 1000, system.info);
    for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
    run = simulate(system, placement);
    history = history_of(system.info, run.events);
  }

  ReplayResult replay(Order order, const std::vector<MachineId>& machine_of, const Roles& roles = {}) const {
    return Replay(history, traced_target(history), roles).run(order, machine_of);
  }
};

}  // namespace

TEST_CASE("replay: the traced placement gives back the run, in either order", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Traced traced(random_system(seed, shape_of(seed)), seed);
    for (const Order order : {Order::recorded, Order::arrival}) {
      const ReplayResult replayed = traced.replay(order, traced.placement);
      REQUIRE(replayed.not_performed == 0);
      REQUIRE(replayed.forced_receives == 0);
      REQUIRE(replayed.cpu_ns == traced.run.cpu_ns);
      REQUIRE(replayed.elapsed_ns == Approx(traced.run.elapsed_ns).epsilon(kRounding));
    }
  }
}

TEST_CASE("replay: another placement in recorded order is what a simulation in that order does", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Traced traced(random_system(seed, shape_of(seed)), seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    ObviousSystem held = traced.system;
    held.order = traced.run.order;
    const ObviousRun truth = simulate(held, elsewhere);
    const ReplayResult replayed = traced.replay(Order::recorded, elsewhere);
    REQUIRE(replayed.not_performed == 0);
    if (!shape_of(seed).speeds) REQUIRE(replayed.cpu_ns == truth.cpu_ns);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(shape_of(seed).speeds ? 1e-6 : kRounding));
  }
}

TEST_CASE("replay: another placement in arrival order is what would have happened there", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const Traced traced(random_system(seed, shape_of(seed)), seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    const ObviousRun truth = simulate(traced.system, elsewhere);
    const ReplayResult replayed = traced.replay(Order::arrival, elsewhere);
    REQUIRE(replayed.not_performed == 0);
    REQUIRE(replayed.forced_receives == 0);
    if (!shape_of(seed).speeds) REQUIRE(replayed.cpu_ns == truth.cpu_ns);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(shape_of(seed).speeds ? 1e-6 : kRounding));
  }
}

TEST_CASE("replay: a server that waits selectively is exact elsewhere, with ties and without", "[prediction]") {
  std::uint64_t reordered = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const bool constant_times : {false, true}) {
      INFO("seed " << seed << (constant_times ? ", constant times" : ""));
      const Traced traced(selective_server(seed, 2 + static_cast<std::uint32_t>(seed % 6), 12, constant_times), seed);
      const auto elsewhere = random_placement(seed + 5000, traced.system.info);
      const ObviousRun truth = simulate(traced.system, elsewhere);
      const ReplayResult replayed = traced.replay(Order::arrival, elsewhere);
      reordered += truth.order != traced.run.order;
      REQUIRE(replayed.not_performed == 0);
      REQUIRE(replayed.forced_receives == 0);
      REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(kRounding));
    }
  }
  CHECK(reordered > 50);  // otherwise nothing was tested
}

TEST_CASE("replay: a server that limits what it has in progress is exact elsewhere", "[prediction]") {
  std::uint64_t reordered = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const std::uint32_t limit : {2u, 3u}) {
      INFO("seed " << seed << ", limit " << limit);
      const Traced traced(limited_server(seed, limit + 2 + static_cast<std::uint32_t>(seed % 4), 12, limit), seed);
      const auto elsewhere = random_placement(seed + 5000, traced.system.info);
      const ObviousRun truth = simulate(traced.system, elsewhere);
      const ReplayResult replayed = traced.replay(Order::arrival, elsewhere);
      reordered += truth.order != traced.run.order;
      REQUIRE(replayed.not_performed == 0);
      REQUIRE(replayed.forced_receives == 0);
      REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(kRounding));
    }
  }
  CHECK(reordered > 50);  // otherwise nothing was tested
}

TEST_CASE("replay: a balancer that chooses by its own count is exact elsewhere, and in arrival order it is not",
          "[prediction]") {
  const Pick pick = GENERATE(Pick::in_turn, Pick::least_outstanding);
  const auto rule = pick == Pick::in_turn ? Rule::in_turn : Rule::least_outstanding;
  std::uint64_t reordered = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Traced traced(balancer(seed, 5 + static_cast<std::uint32_t>(seed % 4), 12, pick, false), seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    const ObviousRun truth = simulate(traced.system, elsewhere);
    const InferredBehaviour choice = infer_behaviour(traced.history);
    REQUIRE(choice.roles.destinations != nullptr);
    // With little to do, all owed as much whenever a request came: in turn, without exception.
    if (choice.roles.destinations->choices.front().rule != rule) continue;
    const ReplayResult replayed = traced.replay(Order::role, elsewhere, choice.roles);
    reordered += truth.order != traced.run.order;
    REQUIRE(replayed.not_performed == 0);
    REQUIRE(replayed.forced_receives == 0);
    REQUIRE(replayed.cpu_ns == truth.cpu_ns);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(kRounding));
    moved += std::fabs(traced.replay(Order::arrival, elsewhere).elapsed_ns / truth.elapsed_ns - 1) > 1e-3;
  }
  CHECK(reordered > 30);  // otherwise nothing was tested
  CHECK(moved > 30);
}

TEST_CASE("replay: what a back end is given in turn takes as long as its own requests", "[prediction]") {
  const bool messages_cost = GENERATE(false, true);  // as much at each back end
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed << (messages_cost ? ", messages cost CPU time" : ""));
    auto system = balancer(seed, 3 + static_cast<std::uint32_t>(seed % 4), 12, Pick::in_turn, true);
    if (messages_cost) {
      system.info.delays.local.sender_cpu_s = PiecewiseLinear::through({{0, .002}, {1000, .004}}).value();
      system.info.delays.remote.receiver_cpu_s = PiecewiseLinear::through({{0, .003}}).value();
    }
    const Traced traced(system, seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    const ObviousRun truth = simulate(traced.system, elsewhere);
    const ReplayResult replayed = traced.replay(Order::role, elsewhere, infer_behaviour(traced.history).roles);
    REQUIRE(replayed.not_performed == 0);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(1e-6));  // a ratio of measured times is rounded
  }
}

TEST_CASE(
    "replay: a server that chooses among the requests that have come is exact elsewhere, and in arrival order it is "
    "not",
    "[prediction]") {
  const bool schedules = GENERATE(false, true);
  std::uint64_t reordered = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed << (schedules ? ", a scheduler" : ""));
    const auto clients = 3 + static_cast<std::uint32_t>(seed % 3);
    const Traced traced(schedules ? scheduler(seed, clients + 1, 14) : preferring_server(seed, 2, clients, 14), seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    const InferredBehaviour choice = infer_behaviour(traced.history);
    if (choice.roles.queues == nullptr) continue;  // with little to do, the last request was always next
    const ObviousRun truth = simulate(traced.system, elsewhere);
    const ReplayResult replayed = traced.replay(Order::role, elsewhere, choice.roles);
    reordered += truth.order != traced.run.order;
    REQUIRE(replayed.not_performed == 0);
    REQUIRE(replayed.forced_receives == 0);
    REQUIRE(replayed.cpu_ns == truth.cpu_ns);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(kRounding));
    moved += std::fabs(traced.replay(Order::arrival, elsewhere).elapsed_ns / truth.elapsed_ns - 1) > 1e-3;
  }
  CHECK(reordered > 30);  // otherwise nothing was tested
  CHECK(moved > 30);
}

TEST_CASE("replay: clients that go on without an answer wait as long elsewhere", "[prediction]") {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    const Traced traced(impatient_clients(seed, 2 + static_cast<std::uint32_t>(seed % 4), 12), seed);
    const auto elsewhere = random_placement(seed + 5000, traced.system.info);
    const ObviousRun truth = simulate(traced.system, elsewhere);
    const InferredBehaviour choice = infer_behaviour(traced.history);
    REQUIRE(choice.roles.timers != nullptr);
    if (!choice.groups.empty()) continue;  // by chance, a server seemed to hand out work
    const ReplayResult replayed = traced.replay(Order::role, elsewhere, choice.roles);
    REQUIRE(replayed.not_performed == 0);
    REQUIRE(replayed.cpu_ns == truth.cpu_ns);
    REQUIRE(replayed.elapsed_ns == Approx(truth.elapsed_ns).epsilon(1e-6));  // the shortest wait is the timer's
    moved += std::fabs(traced.replay(Order::arrival, elsewhere).elapsed_ns / truth.elapsed_ns - 1) > 1e-3;
  }
  CHECK(moved > 30);
}
