// Relations of several machines' clocks: the truth is always within the bounds, steps are found, and the common order
// holds.
#include "analysis/clocks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/clocks/common_time.hpp"
#include "backends/sim/sim_source.hpp"
#include "tests/analysis/clocks/true_clocks.hpp"
#include "tests/contract/scenarios.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Clocks clocks_of(const Recording& recording) {
  ClockAnalysis analysis;
  DPM_CHECK(MemorySource(recording).run(analysis).has_value());
  return analysis.result();
}

TrueClocks random_clocks(Random& random, std::size_t machines) {
  std::vector<TrueClock> clocks;
  constexpr std::int64_t kTicks[] = {1, 1, 1000, 10'000'000};
  for (std::size_t m = 0; m < machines; ++m)
    clocks.push_back({static_cast<std::int64_t>(random.below(2'000'000'000'000'000'000)) - kSecond,
                      (static_cast<double>(random.below(400)) - 200) * 1e-6, kTicks[random.below(4)]});
  return TrueClocks(std::move(clocks));
}

const ClockRelation& relation(const Clocks& clocks, std::size_t a, std::size_t b) {
  const auto found = std::find_if(clocks.relations.begin(), clocks.relations.end(),
                                  [&](const auto& r) { return r.a.value == a && r.b.value == b; });
  REQUIRE(found != clocks.relations.end());
  return *found;
}

// 1: as many nanoseconds as rounding may take.
void check_truth_inside(const Clocks& clocks, const TrueClocks& truth) {
  for (const ClockRelation& known : clocks.relations) {
    const long double offset =
        truth.offset(known.a.value, known.b.value, known.at.ns) - static_cast<long double>(known.offset.base_ns);
    INFO("machines " << known.a.value << " and " << known.b.value << ", via " << known.via.size());
    CHECK(offset >= static_cast<long double>(known.offset.more.low) - 1);
    CHECK(offset <= static_cast<long double>(known.offset.more.high) + 1);
    const double drift = truth.drift(known.a.value, known.b.value);
    CHECK(drift >= known.drift.low - 1e-12);
    CHECK(drift <= known.drift.high + 1e-12);
  }
}

// Every event once, no time going back, and every RECEIVE after its SEND.
void check_in_order(const Recording& recording, const CommonOrder& order) {
  REQUIRE(order.in_order.size() == recording.events.size());
  std::vector<bool> shown(recording.events.size());
  std::set<std::uint64_t> sent;
  CommonInstant last{std::numeric_limits<std::int64_t>::min()};
  for (const std::uint32_t at : order.in_order) {
    const Event& event = recording.events[at];
    CHECK(!shown[at]);
    shown[at] = true;
    CHECK(order.times[at] >= last);
    last = order.times[at];
    if (event.type == EventType::send) sent.insert(event.sequence);
    if (event.type == EventType::receive) CHECK(sent.contains(event.sequence));
  }
}

void check_order(const Recording& recording, const Clocks& clocks) {
  const CommonTime time(clocks);
  const CommonOrder order = order_in_common(recording.events, time);
  CHECK(order.contradictions == 0);
  REQUIRE(order.times.size() == recording.events.size());
  check_in_order(recording, order);
  std::map<ProcessId, CommonInstant> last;
  std::map<std::uint64_t, CommonInstant> sent;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const Event& event = recording.events[i];
    if (last.contains(event.process)) CHECK(order.times[i] >= last[event.process]);
    last[event.process] = order.times[i];
    if (event.type == EventType::send) sent[event.sequence] = order.times[i];
  }
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const Event& event = recording.events[i];
    if (event.type == EventType::receive && sent.contains(event.sequence))
      CHECK(order.times[i] >= sent[event.sequence]);
  }
}

std::vector<TrueClock> random_ring_clocks(Random& random, std::size_t machines) {
  std::vector<TrueClock> clocks;
  for (std::size_t m = 0; m < machines; ++m)
    clocks.push_back({static_cast<std::int64_t>(random.below(7200 * kSecond)) - 3600 * kSecond,
                      (static_cast<double>(random.below(400)) - 200) * 1e-6, 1});
  return clocks;
}

// A token that goes around, every 10 ms.
TrueClocks ring(Random& random, std::vector<TrueClock> clocks, std::int64_t laps) {
  const std::size_t machines = clocks.size();
  TrueClocks truth(std::move(clocks));
  for (std::int64_t lap = 0; lap < laps; ++lap) {
    std::int64_t now = lap * 10'000'000;
    for (std::size_t from = 0; from < machines; ++from) {
      const std::int64_t received = now + 20'000 + static_cast<std::int64_t>(random.exponential(50'000));
      truth.message(from, (from + 1) % machines, now, received);
      now = received + 10'000;
    }
  }
  truth.order();
  return truth;
}

// As exports show them, which move no event.
void check_messages_take_time(const Recording& recording, const Clocks& clocks) {
  const CommonTime time(clocks);
  std::map<std::uint64_t, std::int64_t> sent;
  for (const Event& event : recording.events) {
    const std::int64_t at_ns = time.at(event.machine, event.local_time).ns;
    if (event.type == EventType::send) {
      sent[event.sequence] = at_ns;
    } else {
      CHECK(at_ns >= sent.at(event.sequence));
    }
  }
}

}  // namespace

TEST_CASE("clocks: true offset and drift always lie inside the bounds", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    TrueClocks truth = random_clocks(random, 2 + random.below(4));
    const bool star = seed % 3 == 0;  // all exchange messages with the first only
    truth.converse(random, 20 + random.below(400), static_cast<std::int64_t>(1 + random.below(100)) * kSecond,
                   [&](auto from, auto to) { return !star || from == 0 || to == 0; });
    INFO("seed " << seed);
    const Clocks clocks = clocks_of(truth.recording);
    CHECK(clocks.steps.empty());
    check_truth_inside(clocks, truth);
    check_order(truth.recording, clocks);
    CHECK(clocks_of(reordered_between_processes(truth.recording, seed)).relations.size() == clocks.relations.size());
  }
}

TEST_CASE("clocks: on one axis no message is received before it was sent", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t machines = 2 + random.below(12);
    std::vector<TrueClock> clocks = random_ring_clocks(random, machines);
    for (TrueClock& clock : clocks)
      if (random.chance(.3)) clock = {0, 0, 1};
    TrueClocks truth(clocks);
    // Which pairs talk, and whether both ways.
    std::set<std::pair<std::size_t, std::size_t>> talk{{0, 1}};
    const double density = .1 + .3 * static_cast<double>(random.below(4));
    for (std::size_t a = 0; a < machines; ++a)
      for (std::size_t b = 0; b < machines; ++b)
        if (random.chance(density)) talk.insert({a, b});
    talk.erase({0, 0});
    truth.converse(random, 5 + random.below(2000), static_cast<std::int64_t>(1 + random.below(100)) * kSecond,
                   [&](auto from, auto to) {
                     return talk.contains({from, to});
                   });
    INFO("seed " << seed << ", " << machines << " machines");
    const Clocks found = clocks_of(truth.recording);
    CHECK(found.warnings.empty());
    check_truth_inside(found, truth);
    check_messages_take_time(truth.recording, found);
  }
}

TEST_CASE("clocks: times of equal clocks stay as they are, however few messages there are", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const std::size_t machines = 2 + random.below(60);
    TrueClocks truth(std::vector<TrueClock>(machines, {0, 0, 1}));
    truth.converse(random, machines * (1 + random.below(4)), static_cast<std::int64_t>(1 + random.below(100)) * kSecond,
                   [&](auto from, auto to) { return seed % 3 != 0 || from == 0 || to == 0; });
    INFO("seed " << seed);
    const CommonOrder order = order_in_common(truth.recording.events, CommonTime(clocks_of(truth.recording)));
    CHECK(order.moved == 0);
    for (std::size_t i = 0; i < truth.recording.events.size(); ++i)
      CHECK(order.times[i].ns == truth.recording.events[i].local_time.ns);
  }
}

TEST_CASE("clocks: many messages narrow the bounds to their quickest", "[clocks]") {
  Random random(1);
  TrueClocks truth({{5 * kSecond, 50e-6, 1}, {0, -50e-6, 1}});
  truth.converse(random, 100'000, 100 * kSecond, [](auto, auto) { return true; });
  const Clocks clocks = clocks_of(truth.recording);
  check_truth_inside(clocks, truth);
  const ClockRelation& known = relation(clocks, 0, 1);
  CHECK(known.offset.more.width() < 2 * 10'500);
  CHECK(known.drift.width() < 1e-6);
  CHECK(known.messages_from_a + known.messages_from_b == 100'000);
}

TEST_CASE("clocks: one way bounds one side, and nothing is known of strangers", "[clocks]") {
  Random random(2);
  TrueClocks truth({{0, 0, 1}, {kSecond, 0, 1}, {7, 0, 1}, {9, 0, 1}});
  truth.converse(random, 50, kSecond,
                 [](auto from, auto to) { return from < 2 && to < 2 ? from < to : from / 2 == to / 2; });
  const Clocks clocks = clocks_of(truth.recording);
  const ClockRelation& half = relation(clocks, 0, 1);
  CHECK(std::isinf(half.offset.more.low));
  CHECK(std::isfinite(half.offset.more.high));
  CHECK(half.messages_from_b == 0);
  CHECK(relation(clocks, 2, 3).offset.more.has_both());
  const ClockRelation& none = relation(clocks, 0, 2);
  CHECK(std::isinf(none.offset.more.low));
  CHECK(std::isinf(none.offset.more.high));
  const CommonTime time(clocks);
  CHECK(time.reference_of(MachineId{1}) == MachineId{0});
  CHECK(time.reference_of(MachineId{3}) == MachineId{2});
}

TEST_CASE("clocks: a clock that was stepped is found, with where", "[clocks]") {
  for (const std::int64_t step_ns : {kSecond, -kSecond}) {
    for (const std::size_t stepped : {0u, 1u}) {
      Random random(3);
      std::vector<TrueClock> clocks = {{0, 10e-6, 1}, {3 * kSecond, -10e-6, 1}};
      clocks[stepped].step_at_ns = 50 * kSecond;
      clocks[stepped].step_ns = step_ns;
      TrueClocks truth(clocks);
      truth.converse(random, 2000, 100 * kSecond, [](auto, auto) { return true; });
      const Clocks found = clocks_of(truth.recording);
      INFO("machine " << stepped << " by " << step_ns);
      REQUIRE(found.steps.size() == 1);
      const auto before = static_cast<double>(found.steps[0].before.ns);
      CHECK(before > 48.9e9);
      CHECK(before < 52e9);
      const auto jump_ns = static_cast<double>(step_ns);
      CHECK(found.steps[0].jump_ns == Approx(stepped == 1 ? jump_ns : -jump_ns).epsilon(.01));
      REQUIRE(found.warnings.size() == 1);
      CHECK(found.warnings[0].find("was stepped, or changed its rate") != std::string::npos);
      CHECK(relation(found, 0, 1).offset.more.width() < 1e6);
      check_order(truth.recording, found);
    }
  }
}

TEST_CASE("clocks: of many machines the one is cut whose clock was stepped", "[clocks]") {
  Random random(4);
  std::vector<TrueClock> clocks(5, {0, 0, 1});
  clocks[2].step_at_ns = 50 * kSecond;
  clocks[2].step_ns = 5 * kSecond;
  TrueClocks truth(clocks);
  truth.converse(random, 5000, 100 * kSecond, [](auto, auto) { return true; });
  const Clocks found = clocks_of(truth.recording);
  REQUIRE(found.steps.size() == 1);
  CHECK((found.steps[0].a == MachineId{2} || found.steps[0].b == MachineId{2}));
  for (const ClockRelation& known : found.relations) CHECK(known.offset.more.width() < 1e6);
  check_order(truth.recording, found);
}

TEST_CASE("clocks: traffic that goes in a circle bounds every pair", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const TrueClocks truth = ring(random, random_ring_clocks(random, 8), 1000);
    const Clocks clocks = clocks_of(truth.recording);
    INFO("seed " << seed);
    CHECK(clocks.warnings.empty());
    REQUIRE(clocks.relations.size() == 28);
    check_truth_inside(clocks, truth);
    for (const ClockRelation& known : clocks.relations) {
      CHECK(known.offset.more.width() < 1e6);
      CHECK(known.drift.width() < 1e-3);
    }
    check_messages_take_time(truth.recording, clocks);
    CHECK(order_in_common(truth.recording.events, CommonTime(clocks)).moved == 0);
  }
}

TEST_CASE("clocks: messages of a circle that contradict each other are named", "[clocks]") {
  // Each pair has messages one way only, and no time around the circle is left: A, B and C cannot all run evenly.
  TrueClocks truth({{0, 0, 1}, {kSecond, 0, 1}, {-kSecond, 0, 1}});
  for (std::int64_t i = 0; i < 10; ++i) {
    for (std::size_t from = 0; from < 3; ++from) {
      const std::int64_t sent = i * kSecond + static_cast<std::int64_t>(from) * 1'000'000;
      truth.message(from, (from + 1) % 3, sent, sent + (i == 5 ? -1'000'000'000 : 100'000));
    }
  }
  truth.order();
  const Clocks clocks = clocks_of(truth.recording);
  REQUIRE_FALSE(clocks.warnings.empty());
  const std::string& warning = clocks.warnings[0];
  INFO(warning);
  CHECK(warning.find("'m0', 'm1', 'm2'") != std::string::npos);
  CHECK(warning.find("'m0' at 5.000000 s to 'm1' at 5.000000 s") != std::string::npos);
}

TEST_CASE("clocks: a step of one clock in a circle leaves the time before and after", "[clocks]") {
  Random random(7);
  auto clocks = random_ring_clocks(random, 4);
  clocks[1].step_at_ns = 4 * kSecond;
  clocks[1].step_ns = kSecond;
  const TrueClocks truth = ring(random, clocks, 1000);
  const Clocks found = clocks_of(truth.recording);
  REQUIRE_FALSE(found.warnings.empty());
  CHECK(found.warnings[0].find("no steady clocks of") == 0);
  for (const ClockRelation& known : found.relations) CHECK(known.offset.more.width() < 2e6);
  check_order(truth.recording, found);
}

TEST_CASE("clocks: matches by order and size prove nothing", "[clocks]") {
  TrueClocks truth({{0, 0, 1}, {0, 0, 1}});
  truth.message(0, 1, 0, 10);
  truth.message(1, 0, 20, 5);  // before it was sent: a wrong match
  truth.recording.events.back().evidence = Evidence::inferred;
  truth.order();
  const Clocks clocks = clocks_of(truth.recording);
  REQUIRE(clocks.relations.size() == 1);
  CHECK(clocks.relations[0].messages_from_a == 1);
  CHECK(clocks.relations[0].messages_from_b == 0);
}

TEST_CASE("clocks: a circle of causes is broken and counted", "[clocks]") {
  TrueClocks truth({{0, 0, 1}, {0, 0, 1}});
  truth.message(0, 1, 30, 10);
  truth.message(1, 0, 40, 20);
  truth.order();
  const Clocks clocks = clocks_of(truth.recording);
  const CommonTime time(clocks);
  CHECK(order_in_common(truth.recording.events, time).contradictions == 1);
}

TEST_CASE("clocks: of simulated machines the clocks are found within the bounds", "[clocks]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scenario scenario = busy_server(4, 200);
    scenario.seed = seed;
    scenario.machines[0].clock = {Duration::from_seconds(-3.5), 120, Duration{1000}};
    scenario.machines[1].clock = {Duration::from_seconds(7200), -80, Duration{10'000'000}};
    SimSource source(scenario);
    const Recording recording = record(source).value();
    const Clocks clocks = clocks_of(recording);
    INFO("seed " << seed);
    CHECK(clocks.steps.empty());
    const TrueClocks truth({{-3'500'000'000, 120e-6, 1}, {7200 * kSecond, -80e-6, 1}});
    check_truth_inside(clocks, truth);
    const ClockRelation& known = relation(clocks, 0, 1);
    CHECK(known.offset.more.has_both());
    CHECK(known.offset.more.width() < 1e9);
    CHECK(clocks.tick_ns[0] % 1000 == 0);
    const CommonOrder order = order_in_common(recording.events, CommonTime(clocks));
    CHECK(order.contradictions == 0);
    CHECK(order.moved < recording.events.size() / 2);
  }
}
