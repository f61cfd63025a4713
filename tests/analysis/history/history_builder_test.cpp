#include <algorithm>

#include "analysis/history/history.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// The picture at the top of history.hpp.
EventScript picture() {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  const auto there = script.send("A", 3, "B");
  script.receive("B", 5, there);
  const auto back = script.send("B", 1, "A");
  script.receive("A", 2, back);
  script.end("A", 4);
  script.end("B", 2);
  return script;
}

std::vector<HistoryKind> kinds(std::span<const HistoryEvent> events) {
  std::vector<HistoryKind> kinds;
  for (const auto& event : events) kinds.push_back(event.kind());
  return kinds;
}

// Events of one process stay in order, and processes are interleaved at random.
std::vector<Event> shuffled(const std::vector<Event>& events, std::size_t processes, std::uint64_t seed) {
  std::vector<std::vector<Event>> of(processes);
  for (const auto& event : events) of[event.process.value].push_back(event);
  std::vector<std::size_t> next(processes);
  Random random(seed);
  std::vector<Event> result;
  while (result.size() < events.size()) {
    const std::size_t p = random.below(processes);
    if (next[p] < of[p].size()) result.push_back(of[p][next[p]++]);
  }
  return result;
}

bool same(const History& a, const History& b) {
  return a.first_event == b.first_event && a.events.size() == b.events.size() &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(),
                    [](const HistoryEvent& x, const HistoryEvent& y) {
                      return x.cpu_ns == y.cpu_ns && x.match == y.match && x.length_bytes == y.length_bytes &&
                             x.channel == y.channel && x.peer == y.peer && x.kind_bits == y.kind_bits &&
                             x.arc_bits == y.arc_bits;
                    });
}

}  // namespace

TEST_CASE("history: messages join their SEND to their RECEIVE, and CPU time is between events", "[history]") {
  const auto script = picture();
  const History history = history_of(script.info, script.events);
  using enum HistoryKind;
  CHECK(kinds(history.of({0})) == std::vector{send, receive, end});
  CHECK(kinds(history.of({1})) == std::vector{receive, send, end});
  CHECK(history.events[0].match == 3);
  CHECK(history.events[3].match == 0);
  CHECK(history.events[4].match == 1);
  CHECK(history.events[1].peer == 1);
  CHECK(history.events[0].arc() == ArcKind::proven);
  std::vector<std::uint64_t> ms;
  for (const auto& event : history.events) ms.push_back(event.cpu_ns / 1'000'000);
  CHECK(ms == std::vector<std::uint64_t>{3, 2, 4, 5, 1, 2});
  CHECK(history.cpu_ns() == 17'000'000);
  CHECK(history.owner_of(2) == ProcessId{0});
  CHECK(history.owner_of(3) == ProcessId{1});
  CHECK(history.warnings.empty());
}

TEST_CASE("history: the name of a process means all its threads, that of a thread the thread alone", "[history]") {
  auto script = picture();
  script.info.processes[1].group = ProcessId{0};
  CHECK(history_of(script.info, script.events, {.only = {"A"}}).cpu_ns() == 17'000'000);
  CHECK(history_of(script.info, script.events, {.only = {"B"}}).cpu_ns() == 8'000'000);
}

TEST_CASE("history: the order in which processes' events come does not matter", "[history]") {
  RandomShape shape;
  shape.created = true;
  shape.data = true;
  const ObviousSystem system = random_system(7, shape);
  const ObviousRun run = simulate(system, random_placement(1, system.info));
  const History history = history_of(system.info, run.events);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    CHECK(same(history, history_of(system.info, shuffled(run.events, system.info.processes.size(), seed))));
  }
}

TEST_CASE("history: message numbers may be huge, sparse and start anywhere", "[history]") {
  auto script = picture();
  for (auto& event : script.events) {
    if (event.type == EventType::send || event.type == EventType::receive)
      event.sequence = ~0ull - event.sequence * 1'000'003;
  }
  const History history = history_of(script.info, script.events);
  CHECK(history.events[0].match == 3);
  CHECK(history.events[4].match == 1);
}

TEST_CASE("history: lost and repeated events are counted and never mismatched", "[history]") {
  auto script = picture();
  SECTION("a lost SEND") {
    std::erase_if(script.events, [](const Event& e) { return e.type == EventType::send && e.process.value == 1; });
    const History history = history_of(script.info, script.events);
    CHECK(history.receives_without_send == 1);
    CHECK(history.events[1].arc() == ArcKind::missing);
    CHECK(history.events[1].match == kNoEvent);
    CHECK(history.warnings.size() == 1);
  }
  SECTION("a message still queued at the end") {
    std::erase_if(script.events, [](const Event& e) { return e.type == EventType::receive && e.process.value == 0; });
    const History history = history_of(script.info, script.events);
    CHECK(history.sends_without_receive == 1);
    CHECK(history.receives_without_send == 0);
    CHECK(history.cpu_ns() == 17'000'000);  // the CPU time of the lost event went to the next
  }
  SECTION("every event twice, as in merged logs") {
    std::vector<Event> twice;
    for (const auto& event : script.events) twice.insert(twice.end(), 2, event);
    const History history = history_of(script.info, twice);
    CHECK(history.events[history.first_event[0]].match == history.first_event[1]);
    CHECK(history.cpu_ns() == 17'000'000);
    REQUIRE(history.warnings.size() >= 1);
    CHECK(history.warnings.back() == "2 events came twice; the second copy was left out");
  }
}

TEST_CASE("history: kernel messages keep their CPU time and their place, and match nothing", "[history]") {
  EventScript script({"red"});
  script.process("A", "red");
  script.process("B", "red");
  script.send("A", 2, "B", 1000);
  script.events.back().flags = event_flags::kKernelMessage;
  const auto done = script.send("A", 3, "B");
  script.receive("B", 0, done);
  const History history = history_of(script.info, script.events);
  CHECK(kinds(history.of({0})) == std::vector{HistoryKind::move_data, HistoryKind::send, HistoryKind::end});
  CHECK(history.events[1].match == 3);
  CHECK(history.sends_without_receive == 0);
  CHECK(history.cpu_ns() == 5'000'000);
}

TEST_CASE("history: CPU time seen at events that are not in the graph is not lost", "[history]") {
  auto script = picture();
  script.other("B", 6, EventType::message_queued);
  const History history = history_of(script.info, script.events);
  CHECK(history.events.back().cpu_ns == 8'000'000);
}

TEST_CASE("history: a RECEIVE knows the channels it waited for, and the END those still waited for", "[history]") {
  EventScript script({"red"});
  script.process("A", "red");
  script.process("B", "red");
  script.info.channel_sets.push_back({ChannelId{0}});
  const auto one = script.send("A", 1, "B");
  const auto two = script.send("A", 1, "B");
  script.receive_call("B", 1, 1);
  script.receive("B", 0, one);
  script.receive_call("B", 0, 0);
  script.receive("B", 0, two);
  script.receive_call("B", 2, 1);
  const History history = history_of(script.info, script.events);
  const auto b = history.of({1});
  CHECK(history.receive_calls_metered);
  CHECK(b[0].channel == 1);
  CHECK(b[1].channel == 0);
  CHECK(b[2].channel == 1);
  CHECK(b[2].cpu_ns == 2'000'000);
}

TEST_CASE("history: a created process begins at its creator's CREATEPROCESS, whether STARTPROCESS was metered or not",
          "[history]") {
  for (const bool metered : {false, true}) {
    EventScript script({"red"});
    script.process("A", "red");
    script.process("B", "red");
    if (metered) script.other("B", 0, EventType::start_process, "A");
    const auto hello = script.send("B", 4, "A");
    script.other("A", 1, EventType::create_process, "B");
    script.receive("A", 1, hello);
    const History history = history_of(script.info, script.events);
    const auto b = history.of({1});
    REQUIRE(kinds(b) == std::vector{HistoryKind::start, HistoryKind::send, HistoryKind::end});
    CHECK(b[0].match == 0);
    CHECK(b[0].peer == 0);
    CHECK(b[1].match == 1);
    CHECK(history.events[0].match == history.first_event[1]);
    CHECK(history.events[1].match == history.first_event[1] + 1);
  }
}

TEST_CASE("history: processes outside the computation have no events, and their messages are marked", "[history]") {
  EventScript script({"red"});
  script.process("server", "red");
  script.process("user", "red");
  script.info.processes[1].in_computation = false;
  const auto ask = script.send("user", 1, "server");
  script.receive("server", 1, ask);
  const auto answer = script.send("server", 1, "user");
  script.receive("user", 1, answer);

  const History history = history_of(script.info, script.events);
  CHECK(history.of({1}).empty());
  CHECK(history.events[0].arc() == ArcKind::outside);
  CHECK(history.events[1].arc() == ArcKind::outside);
  CHECK(history.events[0].peer == 1);
  CHECK(history.receives_without_send == 0);

  const History both = history_of(script.info, script.events, {.only = {"user", "server"}});
  CHECK(both.events[0].arc() == ArcKind::proven);
  CHECK(both.info.processes[1].in_computation);
}

TEST_CASE("history: time spent outside is an arc from the SEND to the RECEIVE that answers it", "[history]") {
  EventScript script({"red"});
  script.process("server", "red");
  script.process("disk", "red");
  script.info.processes[1].in_computation = false;
  script.at_ms("server", 10);
  script.send("server", 1, "disk");
  script.at_ms("server", 42);
  script.receive("server", 0, script.send("disk", 1, "server"));
  const History history = history_of(script.info, script.events, {.external_time = true});
  REQUIRE(history.external_arcs.size() == 1);
  CHECK(history.external_arcs[0].from == 0);
  CHECK(history.external_arcs[0].to == 1);
  CHECK(history.external_arcs[0].elapsed_ns == 32'000'000);
  CHECK(history_of(script.info, script.events).external_arcs.empty());
}

TEST_CASE("history: what cannot be built is refused with what to do", "[history]") {
  auto script = picture();
  const auto nameless = try_history(script.info, script.events, {.only = {"A", "C"}});
  REQUIRE_FALSE(nameless.has_value());
  CHECK(nameless.error().what == "no process 'C' in the trace (did you mean 'A'?)");

  std::erase_if(script.events, [](const Event& e) { return e.type == EventType::send; });
  const auto deaf = try_history(script.info, script.events);
  REQUIRE_FALSE(deaf.has_value());
  CHECK(deaf.error().what.find("2 RECEIVEs of the computation but no SEND") != std::string::npos);

  const auto empty = try_history(script.info, {});
  REQUIRE_FALSE(empty.has_value());
  CHECK(empty.error().what.find("no SEND and no RECEIVE") != std::string::npos);

  script = picture();
  script.events[0].process = {9};
  CHECK_FALSE(try_history(script.info, script.events).has_value());
}

TEST_CASE("history: a trace without PROCTIME is built with a warning", "[history]") {
  auto script = picture();
  for (auto& event : script.events) event.proc_time_ns = 0;
  const History history = history_of(script.info, script.events);
  REQUIRE(history.warnings.size() == 1);
  CHECK(history.warnings[0].find("PROCTIME") != std::string::npos);
}
