#include "analysis/history/circles.hpp"

#include "analysis/history/replay.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// The picture in circles.hpp, as its events come.
EventScript picture() {
  EventScript script({"red"});
  script.process("A", "red");
  script.process("B", "red");
  const auto s1 = EventScript::Sent{{1}, {0}, 1, 10}, s2 = EventScript::Sent{{0}, {1}, 1, 10};
  script.receive("A", 1, s1);
  script.receive("B", 1, s2);
  script.send("A", 1, "B");
  script.send("B", 1, "A");
  return script;
}

bool can_be_replayed(const History& history) {
  const Target target = traced_target(history);
  return Replay(history, target).run(Order::recorded, target.machine_of).not_performed == 0;
}

}  // namespace

TEST_CASE("circles: one arc of a circle is removed, and counted", "[history]") {
  auto script = picture();
  std::uint32_t gone = 0;
  SECTION("the inferred one") {
    script.events[1].evidence = Evidence::inferred;
    gone = 1;
  }
  SECTION("the one that is earlier than its SEND by the clock") {
    script.events[2].local_time = {40'000'000};
    script.events[3].local_time = {30'000'000};
    gone = 1;
  }
  SECTION("the one that is earlier by the clock, in the other process") {
    script.events[2].local_time = {30'000'000};
    script.events[3].local_time = {40'000'000};
  }
  const History history = history_of(script.info, script.events);
  CHECK(history.circles == 1);
  CHECK(history.of({gone})[0].match == kNoEvent);
  CHECK(history.of({gone})[0].arc() == ArcKind::missing);
  CHECK(history.of({1 - gone})[1].arc() == ArcKind::missing);
  CHECK(history.of({1 - gone})[0].match != kNoEvent);
  CHECK(can_be_replayed(history));
}

TEST_CASE("circles: a process that receives what it sends itself, later", "[history]") {
  EventScript script({"red"});
  script.process("A", "red");
  script.receive("A", 1, EventScript::Sent{{0}, {0}, 1, 10});
  script.send("A", 1, "A");
  const History history = history_of(script.info, script.events);
  CHECK(history.circles == 1);
  CHECK(can_be_replayed(history));
}

TEST_CASE("circles: whatever messages are joined wrongly, what is left can be replayed", "[history]") {
  std::uint64_t broken = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    RandomShape shape;
    shape.processes = 6;
    shape.created = seed % 2 == 0;
    const ObviousSystem system = random_system(seed, shape);
    ObviousRun run = simulate(system, random_placement(seed, system.info));
    const History sound = history_of(system.info, run.events);
    REQUIRE(sound.circles == 0);
    std::vector<Event*> sends;
    for (Event& event : run.events)
      if (event.type == EventType::send && (event.flags & event_flags::kKernelMessage) == 0) sends.push_back(&event);
    Random random(seed);
    for (int i = 0; i < 5; ++i) {  // two SENDs of one process to another take each other's numbers
      Event &a = *sends[random.below(sends.size())], &b = *sends[random.below(sends.size())];
      if (a.process == b.process && a.peer == b.peer && a.channel == b.channel) std::swap(a.sequence, b.sequence);
    }
    const History history = history_of(system.info, run.events);
    broken += history.circles;
    REQUIRE(can_be_replayed(history));
    REQUIRE(history.events.size() == sound.events.size());
    REQUIRE(history.cpu_ns() == sound.cpu_ns());
    REQUIRE(history.circles <= 10);
  }
  CHECK(broken > 0);
}
