#include "analysis/parallelism/efficiency.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using F = EfficiencyFactor;

Efficiency efficiency_of(const History& history, const Target& target, bool is_as_traced = true) {
  std::optional<Schedule> schedule;
  const Parallelism parallelism = measure_parallelism(history, target, SharingMethod::replay, &schedule).value();
  const CriticalPath path = critical_path(history, target, schedule.value());
  return find_efficiency(history, target, parallelism, {*schedule, path}, is_as_traced);
}

Efficiency efficiency_of(const EventScript& script) {
  const History history = history_of(script.info, script.events);
  return efficiency_of(history, traced_target(history));
}

// What a system is made to lose, and everything else at 1.
struct Ladder {
  double load_balance = 1, serialisation = 1, transfer = 1, sharing = 1;
};

void check_ladder(const Efficiency& found, const Ladder& expected) {
  const double values[] = {expected.load_balance, expected.serialisation, expected.transfer, expected.sharing};
  REQUIRE(found.steps.size() >= 4);
  double left = found.processors;
  for (std::size_t i = 0; i < 4; ++i) {
    INFO("factor " << i);
    CHECK(found.steps[i].factor == static_cast<F>(i));
    CHECK(found.steps[i].value == Approx(values[i]));
    CHECK(found.steps[i].is_low() == (values[i] < .8));
    CHECK(found.steps[i].mended_P.has_value() == found.steps[i].is_low());
    left *= values[i];
    CHECK(found.steps[i].P == Approx(left));
  }
}

const EfficiencyStep& step_of(const Efficiency& found, F factor) {
  return found.steps.at(static_cast<std::size_t>(factor));
}

// Workers with that much to do, each on a machine of its own, or all on one. The first sends a message that none waits for.
EventScript workers(std::initializer_list<double> work_ms, bool together) {
  EventScript script({"red", "green", "blue", "grey"});
  std::size_t number = 0;
  for (std::size_t i = 0; i < work_ms.size(); ++i) {
    const char name[] = {static_cast<char>('A' + i), '\0'};
    script.process(name, script.info.machines[together ? 0 : i].name);
  }
  script.receive("B", 0, script.send("A", 0, "B"));
  for (const double ms : work_ms) {
    const char name[] = {static_cast<char>('A' + number++), '\0'};
    script.end(name, ms);
  }
  return script;
}

// A token that goes round: each process works 10 ms, then hands it on.
EventScript ring(double delay_s) {
  EventScript script({"red", "green", "blue", "grey"});
  const char* const names[] = {"A", "B", "C", "D"};
  for (std::size_t i = 0; i < 4; ++i) script.process(names[i], script.info.machines[i].name);
  for (std::size_t i = 0; i < 3; ++i) script.receive(names[i + 1], 0, script.send(names[i], 10, names[i + 1]));
  script.end("D", 10);
  script.info.delays = constant_delays(delay_s, delay_s);
  return script;
}

// The longest path by repeated relaxation, in an order of its own: nothing is shared with the passes.
double relaxed_path_s(const History& history, bool with_delays) {
  std::vector<std::int64_t> at(history.events.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    const auto at_least = [&](std::uint32_t event, std::int64_t ns) {
      if (at[event] < ns) at[event] = ns, changed = true;
    };
    for (std::uint32_t p = 0; p < history.process_count(); ++p) {
      std::map<std::uint32_t, std::int64_t> last;
      for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
        const HistoryEvent& event = history.events[e];
        const std::int64_t before = e == history.first_event[p] ? 0 : at[e - 1];
        at_least(e, before + static_cast<std::int64_t>(event.cpu_ns));
        if (event.match == kNoEvent || needs_match(event.kind())) continue;
        std::int64_t arrival = at[e];
        if (with_delays && sends_message(event.kind())) {
          const auto& info = history.info;
          const auto& delays = info.delays.between(info.machines[info.processes[p].machine.value].name,
                                                   info.machines[info.processes[event.peer].machine.value].name);
          arrival = std::max(last[event.peer], arrival + DelayModel::delivery(delays, event.length_bytes).ns);
          last[event.peer] = arrival;
        }
        at_least(event.match, arrival);
      }
    }
  }
  return static_cast<double>(*std::max_element(at.begin(), at.end())) * 1e-9;
}

}  // namespace

TEST_CASE("efficiency: workers with unequal work lose by their load balance alone", "[parallelism]") {
  const Efficiency found = efficiency_of(workers({10, 20, 30, 60}, false));
  check_ladder(found, {.load_balance = .5});
  CHECK(found.processors == 4);
  CHECK(found.P == Approx(2));
  const EfficiencyStep& step = step_of(found, F::load_balance);
  REQUIRE(step.blame);
  CHECK(step.blame->process == ProcessId{3});
  CHECK(step.blame->seconds == Approx(.060));
  CHECK(*step.mended_P == Approx(4));  // 30 ms each
}

TEST_CASE("efficiency: a ring loses by serialisation alone", "[parallelism]") {
  const Efficiency found = efficiency_of(ring(0));
  check_ladder(found, {.serialisation = .25});
  const EfficiencyStep& step = step_of(found, F::serialisation);
  REQUIRE(step.blame);
  CHECK(step.blame->process == ProcessId{1});  // A counts as the busiest
  CHECK(step.blame->seconds == Approx(.010));
  CHECK(*step.mended_P == Approx(4));
}

TEST_CASE("efficiency: large delays lose by transfer", "[parallelism]") {
  const Efficiency found = efficiency_of(ring(.020));
  check_ladder(found, {.serialisation = .25, .transfer = .4});
  const EfficiencyStep& step = step_of(found, F::transfer);
  REQUIRE(step.blame);
  CHECK(step.blame->process == ProcessId{0});
  CHECK(step.blame->receiver == ProcessId{1});
  CHECK(step.blame->seconds == Approx(.020));
  CHECK(*step.mended_P == Approx(1));
}

TEST_CASE("efficiency: two processes on one CPU lose by sharing alone", "[parallelism]") {
  const Efficiency found = efficiency_of(workers({10, 10}, true));
  check_ladder(found, {.sharing = .5});
  CHECK(found.steps.size() == 4);  // the script records no times, so the elapsed time of the run is unknown
  CHECK(step_of(found, F::sharing).blame->seconds == Approx(.010));
  CHECK(*step_of(found, F::sharing).mended_P == Approx(2));
}

TEST_CASE("efficiency: all losses at once, worked out by hand", "[parallelism]") {
  // The processes of parallelism_test.cpp on one machine: T 86 = 35 + 18 + 33, steps of 51, 60 and 88 ms.
  EventScript script({"red"});
  for (const auto* name : {"A", "B", "C"}) script.process(name, "red");
  const auto ab = script.send("A", 10, "B");
  script.receive("B", 4, ab);
  const auto bc = script.send("B", 6, "C");
  script.receive("C", 2, bc);
  const auto ca = script.send("C", 30, "A");
  script.receive("A", 20, ca);
  script.end("A", 5);
  script.end("B", 8);
  script.end("C", 1);
  script.info.delays = constant_delays(.003, .003);
  const Efficiency found = efficiency_of(script);
  check_ladder(found, {86.0 / 3 / 35, 35.0 / 51, 51.0 / 60, 60.0 / 88});
  CHECK(found.P == Approx(86.0 / 88));
  CHECK(*step_of(found, F::serialisation).mended_P == Approx(1));  // one core is busy all the time
  CHECK(*step_of(found, F::sharing).mended_P == Approx(86.0 / 60));
  CHECK(step_of(found, F::serialisation).blame->process == ProcessId{2});
}

TEST_CASE("efficiency: what no message explains is the rest of the run", "[parallelism]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.at_ms("A", 10);
  const auto message = script.send("A", 10, "B");
  script.at_ms("B", 12);
  script.receive("B", 2, message);
  script.at_ms("A", 50);  // 30 ms at a timer
  script.end("A", 10);
  script.at_ms("B", 14);
  script.end("B", 2);
  const History history = history_of(script.info, script.events);
  const Efficiency found = efficiency_of(history, traced_target(history));
  REQUIRE(found.steps.size() == 5);
  // From A's first event to its last are 40 ms, of which it works 10. The replay also has the 10 ms before.
  const EfficiencyStep& rest = step_of(found, F::unexplained);
  CHECK(rest.value == Approx(20.0 / 40));
  CHECK(rest.P == Approx(found.P));
  CHECK(found.P == Approx(24.0 / 40));
  CHECK(*rest.mended_P == Approx(24.0 / 20));
  REQUIRE(rest.blame);
  CHECK(rest.blame->process == ProcessId{0});
  CHECK(rest.blame->seconds == Approx(.030));
  CHECK(efficiency_of(history, traced_target(history), false).steps.size() == 4);
}

TEST_CASE("efficiency: time outside is serialisation, and has no process", "[parallelism]") {
  EventScript script({"red"});
  script.process("A", "red");
  script.process("outside", "red");
  script.info.processes[1].in_computation = false;
  script.at_ms("A", 10);
  const auto asked = script.send("A", 10, "outside");
  script.at_ms("outside", 20);
  script.receive("outside", 0, asked);
  const auto answer = script.send("outside", 0, "A");
  script.at_ms("A", 40);
  script.receive("A", 0, answer);
  script.end("A", 10);
  const History history = history_of(script.info, script.events, {.external_time = true});
  const Efficiency found = efficiency_of(history, traced_target(history));
  CHECK(found.processors == 1);
  check_ladder(found, {.serialisation = 20.0 / 50});
  REQUIRE(step_of(found, F::serialisation).blame);
  CHECK(step_of(found, F::serialisation).blame->process.is_none());
  CHECK(step_of(found, F::serialisation).blame->seconds == Approx(.030));
}

TEST_CASE("efficiency: on random systems the factors are those of an independent calculation, and multiply to P / N",
          "[parallelism]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    RandomShape shape;
    shape.processes = 2 + static_cast<std::uint32_t>(seed % 7);
    shape.machines = 1 + static_cast<std::uint32_t>(seed % 4);
    shape.generations = 4;
    shape.cores = seed % 2 == 0;
    shape.created = seed % 5 == 0;
    ObviousSystem system = random_system(seed, shape);
    const auto placement = random_placement(seed, system.info);
    for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
    const ObviousRun run = simulate(system, placement);
    const History history = history_of(system.info, run.events);
    const Target target = traced_target(history);
    const Efficiency found = efficiency_of(history, target);

    std::map<std::uint32_t, std::uint64_t> work_ns;
    for (const Event& event : run.events)
      work_ns[event.process.value] = std::max(work_ns[event.process.value], event.proc_time_ns);
    double busiest_s = 0, T_s = 0;
    for (const auto& [process, ns] : work_ns) {
      busiest_s = std::max(busiest_s, static_cast<double>(ns) * 1e-9);
      T_s += static_cast<double>(ns) * 1e-9;
    }
    const double N = static_cast<double>(work_ns.size());
    const double no_delay_s = relaxed_path_s(history, false), delay_s = relaxed_path_s(history, true);
    const double replayed_s = run.elapsed_ns * 1e-9;
    REQUIRE(found.processors == work_ns.size());
    REQUIRE(step_of(found, F::load_balance).value == Approx(T_s / N / busiest_s).epsilon(1e-9));
    REQUIRE(step_of(found, F::serialisation).value == Approx(busiest_s / no_delay_s).epsilon(1e-9));
    REQUIRE(step_of(found, F::transfer).value == Approx(no_delay_s / delay_s).epsilon(1e-9));
    REQUIRE(step_of(found, F::sharing).value == Approx(delay_s / replayed_s).epsilon(1e-6));

    double product = 1;
    for (const EfficiencyStep& step : found.steps) {
      product *= step.value;
      if (step.factor != F::unexplained) REQUIRE(step.value <= 1 + 1e-9);
    }
    REQUIRE(product == Approx(found.P / N).epsilon(1e-12));
    REQUIRE(product == Approx(found.parallel_efficiency()).epsilon(1e-12));
    const RunTimes as_ran = measure_parallelism(history, target).value().run;
    REQUIRE(found.P == Approx(as_ran.P).epsilon(1e-12));
    REQUIRE(found.elapsed_s == as_ran.elapsed_s);

    // Without delays the independent simulation takes its messages in the order of the run.
    const EfficiencyStep& transfer = step_of(found, F::transfer);
    if (!transfer.mended_P) continue;
    ObviousSystem ideal = system;
    ideal.order = run.order;
    ideal.info.delays = {};
    const double mended_s = simulate(ideal, placement).elapsed_ns * 1e-9;
    REQUIRE(*transfer.mended_P == Approx(found.P * replayed_s / mended_s).epsilon(1e-6));
  }
}
