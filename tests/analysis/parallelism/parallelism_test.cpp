#include "analysis/parallelism/parallelism.hpp"

#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/longest_path.hpp"
#include "analysis/parallelism/thesis1984.hpp"
#include "tests/analysis/parallelism/literal_appendix_a.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Three processes like those of thesis figure 5.2, milliseconds:
//
//      A  o--10--S------20-------R--5--o       A sends to B, B to C and A, C to A.
//                 \             /(from C)
//      B  o---4----R--6--S--8--o
//                         \            .
//      C  o----2-----------R--30--S--1--o
EventScript three_processes() {
  EventScript script({"red", "green", "blue"});
  script.process("A", "red");
  script.process("B", "green");
  script.process("C", "blue");
  const auto ab = script.send("A", 10, "B");
  script.receive("B", 4, ab);
  const auto bc = script.send("B", 6, "C");
  script.receive("C", 2, bc);
  const auto ca = script.send("C", 30, "A");
  script.receive("A", 20, ca);
  script.end("A", 5);
  script.end("B", 8);
  script.end("C", 1);
  script.info.delays = constant_delays(.003, .007);
  return script;
}

Target on(const History& history, std::initializer_list<std::uint16_t> machines) {
  Target target = traced_target(history);
  target.machine_of.clear();
  for (const std::uint16_t machine : machines) target.machine_of.push_back({machine});
  return target;
}

RandomShape small_shape(std::uint64_t seed) {
  RandomShape shape;
  shape.processes = 2 + static_cast<std::uint32_t>(seed % 7);
  shape.machines = 1 + static_cast<std::uint32_t>(seed % 4);
  shape.generations = 4;
  shape.constant_times = seed % 3 == 0;
  shape.created = seed % 5 == 0;
  return shape;
}

}  // namespace

TEST_CASE("parallelism: three processes, worked out by hand", "[parallelism]") {
  const auto script = three_processes();
  const History history = history_of(script.info, script.events);

  SECTION("each on its own machine") {
    const Parallelism p = measure_parallelism(history, traced_target(history)).value();
    // T = A 35 + B 18 + C 33. Step 1: 10 | 16 | 46 (C sends) | 46 | 51. Step 2: 10, 17, 23, 30, 60, 67, 72.
    CHECK(p.no_delay.T_s == Approx(.086));
    CHECK(p.no_delay.t_max_s == Approx(.051));
    CHECK(p.no_delay.P == Approx(86.0 / 51));
    CHECK(p.delay.t_max_s == Approx(.072));
    CHECK(p.delay_cpu.t_max_s == Approx(.072));
  }
  SECTION("all on one machine") {
    const Parallelism p = measure_parallelism(history, on(history, {0, 0, 0})).value();
    CHECK(p.no_delay.t_max_s == Approx(.051));
    // Step 2, messages take 3: A sends at 10, B receives at 13, sends at 19, C receives at 22, sends at 52, A receives
    // at 55: 60.
    CHECK(p.delay.t_max_s == Approx(.060));
    // Step 3. 0-6: three run, each gets 2: C waits. 6-10: two, each gets 2: B waits, A has 4. 10-16: A alone: sends
    // at 16. 16-19: A alone, 3 of 20. 19: B receives; 19-31: two run, B has 6: sends at 31, A 9. 31-34: A and B, 1.5
    // each: A 10.5, B 1.5. 34: C receives; three run. B needs 6.5: until 53.5: A 17, C 6.5. A needs 3, C 23.5:
    // until 59.5 A waits, C 9.5. C alone 20.5: sends at 80. It ends at 81. A receives at 83 and ends at 88.
    CHECK(p.delay_cpu.t_max_s == Approx(.088));
    CHECK(p.delay_cpu.P == Approx(86.0 / 88));
    CHECK(p.delay_cpu.P < 1);
  }
}

TEST_CASE("parallelism: Appendix A by hand: arcs are weighted by what runs in the uncontended schedule",
          "[parallelism]") {
  const auto script = three_processes();
  const History history = history_of(script.info, script.events);
  const Target target = on(history, {0, 0, 0});
  MessageCosts costs(history, target);
  // Uncontended: A runs 0-30, 55-60; B 0-4, 13-27; C 0-2, 22-53. Runnable: 0-2: 3, 2-4: 2, 4-13: 1, 13-22: 2, 22-27: 3,
  // 27-30: 2, 30-53: 1, 55-60: 1. New weights: A's first arc 2*3 + 2*2 + 6 = 16; B's 13-19: 12; C's 22-52: 15 + 6 + 22
  // = 43. Path: 16 + 3 + 12 + 3 + 43 + 3 + 5.
  CHECK(thesis1984_path(history, costs).t_max_ns == 85'000'000);
  CHECK(literal_appendix_a_ns(history, target) == 85'000'000);
}

TEST_CASE("parallelism: Appendix A in one pass is the listing read literally", "[parallelism]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const ObviousSystem system = random_system(seed, small_shape(seed));
    const auto placement = random_placement(seed, system.info);
    const ObviousRun run = simulate(system, placement);
    const History history = history_of(system.info, run.events);
    Target target = traced_target(history);
    target.machine_of = random_placement(seed + 999, system.info);
    MessageCosts costs(history, target);
    const LongestPath path = thesis1984_path(history, costs);
    REQUIRE(path.not_reached == 0);
    REQUIRE(path.t_max_ns == literal_appendix_a_ns(history, target));
    // With more cores a stretched interval is rounded to whole nanoseconds.
    for (std::size_t m = 0; m < target.machines.size(); ++m)
      target.machines[m].cores = static_cast<std::uint16_t>(1 + (seed + m) % 4);
    MessageCosts many(history, target);
    const auto rounding = static_cast<double>(history.events.size());
    REQUIRE(static_cast<double>(thesis1984_path(history, many).t_max_ns) ==
            Approx(static_cast<double>(literal_appendix_a_ns(history, target))).margin(rounding).epsilon(0));
  }
}

TEST_CASE("parallelism: with a core for each process none is slowed down, with fewer some are", "[parallelism]") {
  EventScript script({"red"});
  for (const auto* process : {"A", "B", "C"}) {
    script.process(process, "red");
  }
  script.receive("B", 0, script.send("A", 0, "B"));
  for (const auto* process : {"A", "B", "C"}) script.end(process, 30);
  const History history = history_of(script.info, script.events);
  for (const auto method : {SharingMethod::replay, SharingMethod::thesis1984}) {
    const auto elapsed_s = [&](std::uint16_t cores) {
      Target target = traced_target(history);
      target.machines[0].cores = cores;
      return measure_parallelism(history, target, method).value().delay_cpu.t_max_s;
    };
    CHECK(elapsed_s(1) == Approx(.090));
    CHECK(elapsed_s(2) == Approx(.045));
    CHECK(elapsed_s(3) == Approx(.030));
    CHECK(elapsed_s(65535) == Approx(.030));
  }
}

TEST_CASE("parallelism: the steps bound each other on random systems", "[parallelism]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    const ObviousSystem system = random_system(seed, small_shape(seed));
    const ObviousRun run = simulate(system, random_placement(seed, system.info));
    const History history = history_of(system.info, run.events);
    Target target = traced_target(history);
    target.machine_of = random_placement(seed + 999, system.info);
    std::uint32_t cores = 0;
    for (std::size_t m = 0; m < target.machines.size(); ++m) {
      target.machines[m].cores = seed % 2 == 0 ? 1 : static_cast<std::uint16_t>(1 + (seed + m) % 3);
      cores += target.machines[m].cores;
    }
    const Parallelism p = measure_parallelism(history, target).value();
    REQUIRE(p.no_delay.P >= 1 - 1e-12);
    REQUIRE(p.no_delay.t_max_s <= p.delay.t_max_s);
    REQUIRE(p.delay.t_max_s <= p.delay_cpu.t_max_s * (1 + 1e-9));
    REQUIRE(p.delay_cpu.P <= cores * (1 + 1e-9));
    // With a core for each process none is slowed down, nor with a machine for each.
    Target roomy = target;
    for (auto& machine : roomy.machines) machine.cores = static_cast<std::uint16_t>(system.info.processes.size());
    for (const auto method : {SharingMethod::replay, SharingMethod::thesis1984}) {
      const Parallelism free = measure_parallelism(history, roomy, method).value();
      REQUIRE(free.delay_cpu.t_max_s == Approx(free.delay.t_max_s).epsilon(1e-12));
    }
    target.machines.clear();
    for (std::size_t m = 0; m < system.info.processes.size(); ++m) {
      target.machines.push_back({"own" + std::to_string(m), 1.0});
      target.machine_of[m] = {static_cast<std::uint16_t>(m)};
    }
    const Parallelism alone = measure_parallelism(history, target).value();
    REQUIRE(alone.delay_cpu.t_max_s == Approx(alone.delay.t_max_s).epsilon(1e-12));
    const Parallelism thesis = measure_parallelism(history, target, SharingMethod::thesis1984).value();
    REQUIRE(thesis.delay_cpu.t_max_s == Approx(alone.delay.t_max_s).epsilon(1e-12));
  }
}

TEST_CASE("parallelism: a machine of twice the speed halves T and the computation on it", "[parallelism]") {
  const auto script = three_processes();
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  for (auto& machine : target.machines) machine.speed = 2;
  const Parallelism p = measure_parallelism(history, target).value();
  CHECK(p.no_delay.T_s == Approx(.043));
  CHECK(p.no_delay.t_max_s == Approx(.0255));
  CHECK(p.delay.t_max_s == Approx(.0255 + .021));
}

TEST_CASE("parallelism: CPU time charged for messages follows the placement", "[parallelism]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.info.delays = constant_delays(0, 0);
  script.info.delays.remote.sender_cpu_s = PiecewiseLinear::through({{0, .004}}).value();
  script.info.delays.remote.receiver_cpu_s = PiecewiseLinear::through({{0, .002}}).value();
  script.info.delays.local.sender_cpu_s = PiecewiseLinear::through({{0, .001}}).value();
  const auto message = script.send("A", 10, "B");  // 6 of work, 4 of charge
  script.receive("B", 5, message);                 // 3 of work, 2 of charge
  const History history = history_of(script.info, script.events);
  const Parallelism here = measure_parallelism(history, traced_target(history)).value();
  CHECK(here.delay_cpu.T_s == Approx(.015));
  CHECK(here.delay_cpu.t_max_s == Approx(.012));
  const Parallelism together = measure_parallelism(history, on(history, {0, 0})).value();
  CHECK(together.delay_cpu.T_s == Approx(.010));
  CHECK(together.delay_cpu.t_max_s == Approx(.010));
}

TEST_CASE("parallelism: a short message sent after a long one does not arrive before it", "[parallelism]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.info.delays.remote.delivery_s = PiecewiseLinear::through({{0, .001}, {1000, .050}}).value();
  const auto data = script.send("A", 1, "B", 1000);
  const auto note = script.send("A", 1, "B", 0);
  script.receive("B", 0, data);
  script.receive("B", 0, note);
  SECTION("as messages") {}
  SECTION("as MOVEDATA and a message") {
    script.events[0].flags = event_flags::kKernelMessage;
    script.events.erase(script.events.begin() + 2);
  }
  const History history = history_of(script.info, script.events);
  const Target target = traced_target(history);
  for (const auto method : {SharingMethod::replay, SharingMethod::thesis1984}) {
    const Parallelism p = measure_parallelism(history, target, method).value();
    CHECK(p.delay.t_max_s == Approx(.051));
    CHECK(p.delay_cpu.t_max_s == Approx(.051));
  }
  CHECK(Replay(history, target).run(Order::arrival, target.machine_of).elapsed_ns == Approx(51e6));
}

TEST_CASE("parallelism: time outside counts for t_max and not for T", "[parallelism]") {
  EventScript script({"red"});
  script.process("server", "red");
  script.process("helper", "red");
  script.process("disk", "red");
  script.info.processes[2].in_computation = false;
  script.receive("server", 0, script.send("helper", 1, "server"));
  script.at_ms("server", 10);
  script.send("server", 2, "disk");
  script.at_ms("server", 42);
  script.receive("server", 0, script.send("disk", 1, "server"));
  script.end("server", 3);
  const History with = history_of(script.info, script.events, {.external_time = true});
  for (const auto method : {SharingMethod::replay, SharingMethod::thesis1984}) {
    const Parallelism p = measure_parallelism(with, traced_target(with), method).value();
    CHECK(p.no_delay.t_max_s == Approx(.038));
    CHECK(p.delay_cpu.t_max_s == Approx(.038));
    CHECK(p.delay_cpu.T_s == Approx(.006));
  }
  const Target target = traced_target(with);
  CHECK(Replay(with, target).run(Order::arrival, target.machine_of).elapsed_ns == Approx(38e6));
  const History without = history_of(script.info, script.events);
  CHECK(measure_parallelism(without, traced_target(without)).value().no_delay.t_max_s == Approx(.006));
}

TEST_CASE("parallelism: the critical path names the processes and messages t_max consists of", "[parallelism]") {
  const auto script = three_processes();
  const History history = history_of(script.info, script.events);
  const Target target = traced_target(history);
  const CriticalPath path = critical_path(history, target, contended_schedule(history, target).value());
  CHECK(path.t_max_s == Approx(.072));
  REQUIRE(path.processes.size() == 3);
  CHECK(path.processes[0].process == ProcessId{2});
  CHECK(path.processes[0].cpu_s == Approx(.030));
  CHECK(path.processes[1].process == ProcessId{0});
  CHECK(path.processes[1].cpu_s == Approx(.015));
  CHECK(path.processes[2].cpu_s == Approx(.006));
  REQUIRE(path.messages.size() == 3);
  CHECK(path.messages[0].delay_s == Approx(.007));
  CHECK(path.events.size() == 7);

  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ObviousSystem system = random_system(seed, small_shape(seed));
    const ObviousRun run = simulate(system, random_placement(seed, system.info));
    const History random = history_of(system.info, run.events);
    const Target here = traced_target(random);
    const CriticalPath parts = critical_path(random, here, contended_schedule(random, here).value());
    double sum = parts.outside_s;
    for (const auto& share : parts.processes) sum += share.cpu_s + share.sharing_s;
    for (const auto& share : parts.messages) sum += share.delay_s;
    REQUIRE(sum == Approx(parts.t_max_s));
  }
}

TEST_CASE("parallelism: meaningless traces are refused", "[parallelism]") {
  auto script = three_processes();
  for (auto& event : script.events) event.proc_time_ns = 0;
  const History timeless = history_of(script.info, script.events);
  CHECK_FALSE(measure_parallelism(timeless, traced_target(timeless)).has_value());
}

TEST_CASE("parallelism: a trace that contradicts itself is measured without what makes it impossible",
          "[parallelism]") {
  EventScript circle({"red"});
  circle.process("A", "red");
  circle.process("B", "red");
  const auto ab = circle.send("A", 1, "B");
  const auto ba = circle.send("B", 1, "A");
  circle.receive("A", 1, ba);
  circle.receive("B", 1, ab);
  std::swap(circle.events[0], circle.events[2]);  // both receive before they send
  std::swap(circle.events[1], circle.events[3]);
  for (auto& event : circle.events) event.proc_time_ns = 1;
  const History impossible = history_of(circle.info, circle.events);
  CHECK(measure_parallelism(impossible, traced_target(impossible)).has_value());
  REQUIRE(impossible.warnings.size() == 1);
  CHECK(impossible.warnings[0].find("contradicts itself: 1 messages are") != std::string::npos);
}
