// Changes of a system, predicted from the trace of the unchanged one, against a simulation of the changed one.
#include "analysis/prediction/what_if.hpp"

#include <fmt/format.h>

#include <memory>

#include "analysis/prediction/gains.hpp"
#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr double kRounding = 1e-6;  // every computation is rounded to nanoseconds once more

History traced(ObviousSystem& system, const std::vector<MachineId>& placement) {
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  return history_of(system.info, simulate(system, placement).events);
}

std::vector<MachineId> apart(std::size_t processes) {
  std::vector<MachineId> machine_of;
  for (std::size_t p = 0; p < processes; ++p) machine_of.push_back({static_cast<std::uint16_t>(p)});
  return machine_of;
}

// The system with processes `factor` times as fast.
ObviousSystem with_speeds(const ObviousSystem& system, const std::vector<double>& speed_of) {
  ObviousSystem faster = system;
  faster.program = [program = system.program, speed_of](std::uint32_t p, const ObviousMessage* message) {
    ObviousReaction reaction = program(p, message);
    for (auto& step : reaction.steps) step.work_ns = std::llround(static_cast<double>(step.work_ns) / speed_of[p]);
    return reaction;
  };
  return faster;
}

double predicted_ns(const History& history, const Target& target) {
  const ReplayResult replayed = Replay(history, target).run(Order::arrival, target.machine_of);
  REQUIRE(replayed.not_performed == 0);
  REQUIRE(replayed.forced_receives == 0);
  return replayed.elapsed_ns;
}

RandomShape shape_of(std::uint64_t seed) {
  RandomShape shape;
  shape.processes = 3 + static_cast<std::uint32_t>(seed % 7);
  shape.machines = 2 + static_cast<std::uint32_t>(seed % 4);
  shape.message_cpu = seed % 3 == 0;
  shape.speeds = seed % 5 == 1;
  shape.cores = seed % 4 == 1;
  return shape;
}

std::string refusal(const History& history, const WhatIf& what_if) {
  Target target = traced_target(history);
  const auto done = apply(what_if, history, target);
  REQUIRE_FALSE(done.has_value());
  return done.error().what;
}

}  // namespace

TEST_CASE("what if: faster processes, other cores and other delays between machines, on another placement",
          "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = random_system(seed, shape_of(seed));
    const History history = traced(system, random_placement(seed, system.info));
    Random random(seed);
    WhatIf what_if;
    std::vector<double> speed_of(system.info.processes.size(), 1);
    for (int i = 0; i < 2; ++i) {
      const std::size_t p = random.below(speed_of.size());
      const double factor = .3 + 3 * random.uniform();
      speed_of[p] *= factor;
      what_if.speeds.push_back({system.info.processes[p].name, factor});
    }
    ObviousSystem changed = with_speeds(system, speed_of);
    const std::size_t m = random.below(system.info.machines.size());
    what_if.cores.push_back({system.info.machines[m].name, static_cast<std::uint16_t>(1 + random.below(4))});
    changed.info.machines[m].cores = what_if.cores.back().cores;
    const double factor = 3 * random.uniform();
    what_if.delays.push_back({"m0-m1", factor});
    DelayClass delays = system.info.delays.remote;
    delays.delivery_s = scaled(delays.delivery_s, factor);
    changed.info.delays.pairs.push_back({"m0", "m1", delays});

    Target target = traced_target(history);
    target.machine_of = random_placement(seed + 1000, system.info);
    REQUIRE(apply(what_if, history, target).value().empty());
    REQUIRE(predicted_ns(history, target) ==
            Approx(simulate(changed, target.machine_of).elapsed_ns).epsilon(kRounding));
  }
}

TEST_CASE("what if: delays between two processes, either way", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = selective_server(seed, 3, 10, false);
    const auto placement = apart(system.info.processes.size());
    const History history = traced(system, placement);
    Target target = traced_target(history);
    REQUIRE(apply({.delays = {{"disk-server", .25}, {"server-client1", 3}}}, history, target).value().empty());
    ObviousSystem changed = system;  // each is alone on its machine: m0 holds the server, m1 the disk, m3 client1
    for (const auto& [machine, factor] : {std::pair{"m1", .25}, std::pair{"m3", 3.}}) {
      DelayClass delays = system.info.delays.remote;
      delays.delivery_s = scaled(delays.delivery_s, factor);
      changed.info.delays.pairs.push_back({"m0", machine, delays});
    }
    REQUIRE(predicted_ns(history, target) == Approx(simulate(changed, placement).elapsed_ns).epsilon(kRounding));
  }
}

TEST_CASE("what if: changes combine, and no change changes nothing", "[prediction]") {
  ObviousSystem system = selective_server(1, 3, 10, false);
  const History history = traced(system, apart(system.info.processes.size()));
  const auto elapsed = [&](const WhatIf& what_if) {
    Target target = traced_target(history);
    REQUIRE(apply(what_if, history, target).has_value());
    return predicted_ns(history, target);
  };
  CHECK(elapsed({}) == elapsed({.speeds = {{"disk", 2}, {"disk", .5}}, .delays = {{"m0-m1", 4}, {"m1-m0", .25}}}));
  CHECK(elapsed({.speeds = {{"disk", 4}}}) == elapsed({.speeds = {{"disk", 2}, {"disk", 2}}}));
  CHECK(elapsed({.delays = {{"server-disk", 9}}}) == elapsed({.delays = {{"server-disk", 3}, {"disk-server", 3}}}));
  CHECK(elapsed({.delays = {{"server-disk", 9}}}) > elapsed({}));
}

TEST_CASE("what if: impossible changes are refused", "[prediction]") {
  ObviousSystem system = selective_server(1, 2, 5, false);
  History history = traced(system, apart(4));
  CHECK(refusal(history, {.speeds = {{"dsik", 2}}}) ==
        "speed of 'dsik': no process 'dsik' in the trace (did you mean 'disk'?)");
  CHECK_THAT(refusal(history, {.speeds = {{"disk", 0}}}), Catch::Contains("a factor from 0.000001 to 1000000"));
  CHECK_THAT(refusal(history, {.speeds = {{"disk", -1}}}), Catch::Contains("a factor from"));
  CHECK_THAT(refusal(history, {.speeds = {{"disk", std::nan("")}}}), Catch::Contains("a factor from"));
  CHECK_THAT(refusal(history, {.delays = {{"m0-m1", -1}}}), Catch::Contains("a factor from 0 to"));
  CHECK_THAT(refusal(history, {.delays = {{"m0-m0", 2}}}), Catch::Contains("within a machine"));
  CHECK_THAT(refusal(history, {.delays = {{"server-dsik", 2}}}),
             Catch::Contains("no process 'dsik' (did you mean 'disk'?)"));
  CHECK_THAT(refusal(history, {.delays = {{"server", 2}}}), Catch::Contains("expected two machines or two processes"));
  CHECK_THAT(refusal(history, {.cores = {{"m00", 2}}}), Catch::Contains("no such machine (did you mean 'm0'?)"));
  CHECK_THAT(refusal(history, {.cores = {{"m0", 0}}}), Catch::Contains("at least 1"));
  Target target = traced_target(history);
  CHECK_THAT(apply({.delays = {{"disk-client0", 2}}}, history, target).value().front(),
             Catch::Contains("no message goes between them"));

  system.info.processes[1].in_computation = false;
  history = history_of(system.info, simulate(system, apart(4)).events);
  CHECK_THAT(refusal(history, {.speeds = {{"disk", 2}}}), Catch::Contains("outside the computation"));
}

TEST_CASE("what if: a search from a changed base finds nothing below its bound", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = random_system(seed, {.processes = 4, .machines = 3});
    const History history = traced(system, random_placement(seed, system.info));
    Target target = traced_target(history);
    REQUIRE(apply({.speeds = {{"p1", 3}}, .delays = {{"p0-p1", .2}, {"p2-p3", 0}}}, history, target).has_value());
    const SearchResult found = search(history, target).value();
    CHECK(found.lower_bound_s <= found.candidates.front().elapsed_s * (1 + 1e-9));
  }
}

namespace {

// The system with more servers beside process `server`, last in the list of processes, each on its own machine;
// `requesters` send requests to each server in turn, and every other process answers the one that asked.
ObviousSystem with_copies(const ObviousSystem& system, std::uint32_t server, std::uint32_t copies,
                          const std::function<bool(std::uint32_t)>& requests) {
  ObviousSystem more = system;
  const auto first_copy = static_cast<std::uint32_t>(system.info.processes.size());
  for (std::uint32_t i = 1; i < copies; ++i) {
    const std::string name = fmt::format("{}#{}", system.info.processes[server].name, i + 1);
    more.info.machines.push_back(system.info.machines[system.info.processes[server].machine.value]);
    more.info.machines.back().name = name;
    more.info.processes.push_back(system.info.processes[server]);
    more.info.processes.back().name = name;
    more.info.processes.back().machine = {static_cast<std::uint16_t>(more.info.machines.size() - 1)};
  }
  const auto turns = std::make_shared<std::vector<std::uint32_t>>(first_copy);
  more.program = [=, program = system.program](std::uint32_t p, const ObviousMessage* message) {
    if (p >= first_copy && message == nullptr) return ObviousReaction{{}, program(server, nullptr).wait_set};
    ObviousReaction reaction = program(p >= first_copy ? server : p, message);
    if (message == nullptr && p < first_copy) (*turns)[p] = 0;
    for (auto& step : reaction.steps) {
      if (step.kind != ObviousStep::Kind::send || step.to != server) continue;
      if (requests(p)) {
        const std::uint32_t turn = (*turns)[p]++ % copies;
        step.to = turn == 0 ? server : first_copy + turn - 1;
      } else {
        step.to = message->sender;
      }
    }
    return reaction;
  };
  return more;
}

std::vector<MachineId> machines_of(const ObviousSystem& system) {
  std::vector<MachineId> machine_of;
  for (const auto& process : system.info.processes) machine_of.push_back(process.machine);
  return machine_of;
}

}  // namespace

TEST_CASE("what if: copies of a server that asks a disk, each on its own machine", "[prediction]") {
  int faster = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const bool constant_times : {false, true}) {
      INFO("seed " << seed << (constant_times ? ", constant times" : ""));
      const std::uint32_t copies = 2 + static_cast<std::uint32_t>(seed % 3);
      ObviousSystem system = selective_server(seed, 3 + static_cast<std::uint32_t>(seed % 4), 12, constant_times);
      History history = traced(system, random_placement(seed, system.info));
      const WhatIf what_if{.replicas = {{"server", copies}}};
      REQUIRE(add_copies(what_if, history).has_value());
      Target target = traced_target(history);
      const double before_ns = predicted_ns(history, target);
      REQUIRE(before_ns == Approx(simulate(system, machines_of(system)).elapsed_ns).epsilon(kRounding));
      const auto notes = apply(what_if, history, target).value();
      REQUIRE(notes.size() == 1);  // no caveats: it does the same with each request
      const ObviousSystem changed = with_copies(system, 0, copies, [](std::uint32_t p) { return p >= 2; });
      const double after_ns = predicted_ns(history, target);
      REQUIRE(after_ns == Approx(simulate(changed, machines_of(changed)).elapsed_ns).epsilon(kRounding));
      faster += after_ns < .99 * before_ns;
      CHECK(predict(history, target).value().spread.high_P > 0);
      CHECK_FALSE(predict(history, target, {.order = Order::recorded}).has_value());
    }
  }
  CHECK(faster > 20);
}

TEST_CASE("what if: copies of a disk whose server has several requests at it, and of both", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = limited_server(seed, 5, 10, 3);
    History history = traced(system, random_placement(seed, system.info));
    const WhatIf what_if{.speeds = {{"worker_1", .5}}, .replicas = {{"worker_1", 3}}};
    REQUIRE(add_copies(what_if, history).has_value());
    Target target = traced_target(history);
    REQUIRE(apply(what_if, history, target).has_value());
    ObviousSystem changed = with_copies(system, 1, 3, [](std::uint32_t p) { return p == 0; });
    std::vector<double> speed_of(changed.info.processes.size(), 1);
    speed_of[1] = speed_of[speed_of.size() - 1] = speed_of[speed_of.size() - 2] = .5;
    changed = with_speeds(changed, speed_of);
    REQUIRE(predicted_ns(history, target) ==
            Approx(simulate(changed, machines_of(changed)).elapsed_ns).epsilon(kRounding));
  }
}

TEST_CASE("what if: a server that delays requests, or asks only sometimes, gets caveats", "[prediction]") {
  EventScript script({"red", "green"});
  script.process("server", "red", "server");
  script.process("disk", "green", "disk");
  script.process("c1", "red", "client");
  script.process("c2", "red", "client");
  for (int i = 0; i < 4; ++i) {
    script.receive("server", 1, script.send("c1", 1, "server"));
    if (i == 0) {
      script.receive("disk", 0, script.send("server", 0, "disk"));
      script.receive("server", 0, script.send("disk", 3, "server"));
    }
    if (i == 1) {  // c1 waits until c2 has asked
      script.receive("server", 1, script.send("c2", 1, "server"));
    }
    script.receive("c1", 0, script.send("server", 1, "c1"));
  }
  const History history = history_of(script.info, script.events);
  const ServerWork work = find_server_work(history, {0}).value();
  CHECK(work.requests == 5);
  REQUIRE(work.caveats.size() == 3);
  CHECK(work.caveats[0] ==
        "1 of 4 answers go to a client whose request is not the current one: it remembers which clients wait");
  CHECK(work.caveats[1] == "2 of 5 requests get no answer before the next request");
  CHECK_THAT(work.caveats[2], Catch::Contains("1 of 5 requests make it ask 'disk'") && Catch::Contains("cache"));
  CHECK_THAT(find_server_work(history, {2}).error().what, Catch::Contains("receives no requests"));
}

TEST_CASE("what if: impossible copies are refused", "[prediction]") {
  ObviousSystem system = selective_server(1, 2, 5, false);
  const History traced_history = traced(system, apart(4));
  const auto refused = [&](const ReplicaChange& change) {
    History history = traced_history;
    const WhatIf what_if{.replicas = {change}};
    auto done = add_copies(what_if, history);
    Target target = traced_target(history);
    if (done) return apply(what_if, history, target).error().what;
    return done.error().what;
  };
  CHECK_THAT(refused({"sevrer", 2}), Catch::Contains("no such process in the trace (did you mean 'server'?)"));
  CHECK_THAT(refused({"server", 1}), Catch::Contains("from 2 to 1000"));
  CHECK_THAT(refused({"server", 1001}), Catch::Contains("from 2 to 1000"));
  CHECK_THAT(refused({"client0", 2}), Catch::Contains("receives no requests"));
  CHECK_THAT(refused({"server", 2, "m9"}), Catch::Contains("no machine 'm9' (did you mean 'm0'?)"));
  History history = traced_history;
  CHECK_THAT(add_copies({.replicas = {{"server", 2}, {"server", 3}}}, history).error().what,
             Catch::Contains("given twice"));

  system.info.processes[2].in_computation = false;
  history = history_of(system.info, simulate(system, apart(4)).events);
  Target target = traced_target(history);
  CHECK_THAT(apply({.replicas = {{"client0", 2}}}, history, target).error().what,
             Catch::Contains("outside the computation"));
  REQUIRE(add_copies({.replicas = {{"server", 2}}}, history).has_value());
  target = traced_target(history);
  CHECK_THAT(apply({.replicas = {{"server", 2}}}, history, target).error().what,
             Catch::Contains("messages from outside the computation"));
}

TEST_CASE("gains: every row is what a simulation with that little improvement gives", "[prediction]") {
  int rows = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = random_system(seed, shape_of(seed));
    const auto placement = random_placement(seed, system.info);
    const History history = traced(system, placement);
    const Target target = traced_target(history);
    const Gains found = find_gains(history, target, {}, Order::arrival, {.gain = .05});
    const ObviousRun now = simulate(system, placement);
    REQUIRE(found.elapsed_s == Approx(now.elapsed_ns * 1e-9).epsilon(kRounding));
    for (std::size_t i = 0; i < found.gains.size(); ++i) {
      const Gain& gain = found.gains[i];
      if (i > 0 && found.gains[i - 1].reorders == gain.reorders) REQUIRE(found.gains[i - 1].elapsed <= gain.elapsed);
      INFO(gain.a << " " << gain.b);
      ObviousSystem better = system;
      if (gain.of == Gain::Of::process) {
        std::vector<double> speed_of(system.info.processes.size(), 1);
        for (std::size_t p = 0; p < speed_of.size(); ++p)
          if (system.info.processes[p].name == gain.a) speed_of[p] = 1 / .95;
        better = with_speeds(system, speed_of);
      } else if (gain.of == Gain::Of::machines) {
        DelayClass delays = system.info.delays.remote;
        delays.delivery_s = scaled(delays.delivery_s, .95);
        better.info.delays.pairs.push_back({gain.a, gain.b, delays});
      } else {
        continue;
      }
      const ObviousRun then = simulate(better, placement);
      REQUIRE(gain.elapsed == Approx(then.elapsed_ns / now.elapsed_ns - 1).margin(kRounding));
      const auto P = [](const ObviousRun& run) { return static_cast<double>(run.cpu_ns) / run.elapsed_ns; };
      REQUIRE(gain.P == Approx(P(then) / P(now) - 1).margin(kRounding));
      ++rows;
    }
  }
  CHECK(rows > 200);
}

TEST_CASE("gains: links of processes, and rows that are left out", "[prediction]") {
  ObviousSystem system = selective_server(3, 3, 10, false);
  const History history = traced(system, apart(system.info.processes.size()));
  const Target target = traced_target(history);
  const Gains all = find_gains(history, target, {}, Order::arrival);
  CHECK(all.left_out == 0);
  CHECK(all.gains.size() == 5 + 4 + 4);  // processes; server with disk and clients, each alone on its machine
  for (const Gain& link : all.gains) {
    if (link.of != Gain::Of::link) continue;
    WhatIf what_if{.delays = {{fmt::format("{}-{}", link.a, link.b), .99}}};
    Target better = target;
    REQUIRE(apply(what_if, history, better).has_value());
    CHECK(link.elapsed == Approx(predicted_ns(history, better) / predicted_ns(history, target) - 1).margin(1e-12));
  }
  const Gains few = find_gains(history, target, {}, Order::arrival, {.most_of_a_kind = 2});
  CHECK(few.gains.size() == 6);
  CHECK(few.left_out == 3 + 2 + 2);
}
