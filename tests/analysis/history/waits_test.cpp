#include <algorithm>

#include "analysis/history/history.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

std::vector<HistoryKind> kinds(std::span<const HistoryEvent> events) {
  std::vector<HistoryKind> kinds;
  for (const auto& event : events) kinds.push_back(event.kind());
  return kinds;
}

// A shell that starts a command, waits for it, and starts another.
EventScript shell() {
  EventScript script({"red"});
  for (const char* name : {"shell", "first", "second"}) script.process(name, "red");
  script.other("shell", 1, EventType::create_process, "first");
  script.end("first", 10);
  script.wait("shell", 1, "first");
  script.other("shell", 1, EventType::create_process, "second");
  script.end("second", 20);
  script.wait("shell", 1, "second");
  script.end("shell", 1);
  return script;
}

}  // namespace

TEST_CASE("waits: the end of a child, with all of its CPU time, joins its parent's wait", "[history]") {
  auto script = shell();
  SECTION("the end comes before the WAIT in the stream") {}
  SECTION("the end comes after it") {
    std::stable_partition(script.events.begin(), script.events.end(),
                          [](const Event& event) { return event.process.value == 0; });
  }
  const History history = history_of(script.info, script.events);
  using enum HistoryKind;
  CHECK(kinds(history.of({0})) == std::vector{create, wait, create, wait, end});
  REQUIRE(kinds(history.of({1})) == std::vector{start, wake, end});
  const auto first = history.of({1});
  CHECK(first[1].cpu_ns == 10'000'000);
  CHECK(first[2].cpu_ns == 0);
  CHECK(first[1].match == 1);
  CHECK(history.events[1].match == history.first_event[1] + 1);
  CHECK(history.events[1].arc() == ArcKind::proven);
  CHECK(history.events[1].waited == 1);
  CHECK(history.cpu_ns() == 35'000'000);
  CHECK(history.warnings.empty());
}

TEST_CASE("waits: one for a process that is not in the trace, or has no end there, is counted", "[history]") {
  auto script = shell();
  SECTION("no event of it is") {
    std::erase_if(script.events, [](const Event& event) { return event.process.value == 1; });
    const History history = history_of(script.info, script.events);
    CHECK(history.events[1].match == kNoEvent);
    CHECK(history.waits_without_waker == 1);
    REQUIRE(history.warnings.size() == 1);
    CHECK(history.warnings.front().substr(0, 20) == "1 waits are for proc");
  }
  SECTION("its end is not") {
    for (auto& event : script.events)
      if (event.process.value == 1) event.type = EventType::exec;
    const History history = history_of(script.info, script.events);
    CHECK(history.events[1].match != kNoEvent);
    CHECK(history.events[1].arc() == ArcKind::inferred);
    REQUIRE(history.warnings.size() == 1);
    CHECK(history.warnings.front().substr(0, 40) == "1 waits are for processes whose end is n");
  }
  SECTION("it is outside the computation") {
    script.info.processes[1].in_computation = false;
    const History history = history_of(script.info, script.events);
    CHECK(history.events[1].arc() == ArcKind::outside);
    CHECK(history.warnings.empty());
  }
}

TEST_CASE("waits: a process ends when all of its threads have", "[history]") {
  EventScript script({"red"});
  for (const char* name : {"parent", "main", "joined", "left"}) script.process(name, "red");
  script.info.processes[2].group = script.info.processes[3].group = {1};
  script.wait("main", 1, "joined", WaitKind::thread_end);
  script.end("main", 1);
  script.end("joined", 5);
  script.end("left", 7);
  script.wait("parent", 1, "main");
  script.end("parent", 1);
  const History history = history_of(script.info, script.events);
  using enum HistoryKind;
  CHECK(kinds(history.of({0})) == std::vector{wait, end});
  CHECK(kinds(history.of({1})) == std::vector{wait, wait, wake, end});
  CHECK(kinds(history.of({2})) == std::vector{wake, end});
  CHECK(kinds(history.of({3})) == std::vector{wake, end});
  const auto main = history.of({1});
  CHECK(main[0].match == history.first_event[2]);
  CHECK(main[1].match == history.first_event[3]);
  CHECK(main[1].arc() == ArcKind::inferred);
  CHECK(main[2].match == 0);
}

TEST_CASE("waits: a thread that waits for the first one does not wait for itself", "[history]") {
  EventScript script({"red"});
  for (const char* name : {"parent", "main", "other"}) script.process(name, "red");
  script.info.processes[2].group = {1};
  script.end("main", 3);
  script.wait("other", 1, "main", WaitKind::thread_end);
  script.end("other", 5);
  script.wait("parent", 1, "main");
  const History history = history_of(script.info, script.events);
  using enum HistoryKind;
  // main: its own end, then the other thread's, then that of the process.
  CHECK(kinds(history.of({1})) == std::vector{wake, wait, wake, end});
  CHECK(history.of({1})[0].peer == 2);
  CHECK(history.of({1})[2].peer == 0);
}
