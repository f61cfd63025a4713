#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "answers/find/edges.hpp"
#include "answers/find/find_expression.hpp"
#include "answers/find/find_results.hpp"
#include "answers/find/item_finder.hpp"
#include "answers/find/selection.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"
#include "text/characters.hpp"

namespace dpm::cli {
namespace {

using test::EventScript;

// A asks B twice, the second time slowly; B#2 tells A one thing. In milliseconds of one clock.
EventScript asking() {
  EventScript script({"red"});
  script.process("A", "red", "client");
  script.process("B", "red", "server");
  script.process("B#2", "red", "server");
  const auto ask = [&](double at, double took, std::uint32_t bytes) {
    script.at_ms("A", at);
    const auto question = script.send("A", 0, "B", bytes);
    script.at_ms("B", at + 1);
    script.receive("B", 0, question);
    script.at_ms("B", at + took);
    const auto answer = script.send("B", took - 1, "A", 10);
    script.at_ms("A", at + took + 1);
    script.receive("A", 0, answer);
  };
  ask(10, 5, 100);
  ask(20, 40, 2000);
  script.at_ms("B#2", 70);
  const auto told = script.send("B#2", 1, "A", 5);
  script.at_ms("A", 90);
  script.receive("A", 0, told);
  return script;
}

std::vector<Item> found(const TraceInfo& info, const std::vector<Event>& events, const std::string& text) {
  const auto expression = parse_find_expression(text);
  REQUIRE(expression);
  ItemFinder finder(expression->kind);
  for (EventSink* sink : finder.sinks()) {
    sink->on_begin(info);
    sink->on_events(events);
    sink->on_end({});
  }
  const auto selection = Selection::resolve(*expression, info);
  INFO(text);
  REQUIRE(selection);
  std::vector<Item> items = finder.items(info);
  std::erase_if(items, [&](const Item& item) { return !selection->accepts(item); });
  sort_items(items, main_field(expression->kind), info);
  return items;
}

std::vector<Item> found(const EventScript& script, const std::string& text) {
  return found(script.info, script.events, text);
}

std::string refusal(const EventScript& script, const std::string& text) {
  const auto selection = Selection::resolve(parse_find_expression(text).value(), script.info);
  INFO(text);
  REQUIRE_FALSE(selection);
  return selection.error().what;
}

TEST_CASE("find: messages have their ends, when they were sent, how long they took and their bytes", "[find]") {
  const EventScript script = asking();
  const auto messages = found(script, "");
  REQUIRE(messages.size() == 5);
  CHECK(messages[0].from == ProcessId{2});  // the slowest
  CHECK(messages[0].to == ProcessId{0});
  CHECK(messages[0].at_ns == 60'000'000);  // 70, and the first event is at 10
  CHECK(messages[0].took_ns == 20'000'000);
  CHECK(messages[0].bytes == 5);
  CHECK(messages[0].wait_ns == Item::kUnknown);  // the script has no arrivals
}

TEST_CASE("find: conditions choose", "[find]") {
  const EventScript script = asking();
  struct Case {
    const char* text;
    std::size_t found;
  };
  for (const auto& [text, count] : {
           Case{"latency>1ms", 1},
           {"latency>=1ms", 5},
           {"from:A", 2},
           {"from:B", 3},  // with B#2
           {"from=B", 2},
           {"from!=B", 3},
           {"from:B*", 3},
           {"to:A", 3},
           {"from:A; from:B#2", 3},
           {"program:client", 5},
           {"program:server from:B#2", 1},
           {"program!=client", 0},
           {"machine:red", 5},
           {"bytes>1k", 1},
           {"bytes>1k; bytes<6", 2},
           {"at>=50ms", 2},
           {"wait>=0s", 0},  // not known
           {"channel:'to B'", 2},
           {"requests", 2},
           {"requests latency>10ms", 1},
           {"requests number=2 to:B", 1},
           {"processes", 3},
           {"processes program:server", 2},
           {"processes messages>4", 1},
           {"channels", 3},
           {"channels messages>1", 2},
           {"gaps", 7},
           {"gaps process:A", 4},
           {"gaps process:A length>30ms", 1},
       }) {
    INFO(text);
    CHECK(found(script, text).size() == count);
  }
}

TEST_CASE("find: requests go from the question to the answer, and are numbered as for dpm blame", "[find]") {
  const auto requests = found(asking(), "requests");
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].number == 2);
  CHECK(requests[0].took_ns == 41'000'000);
  CHECK(requests[0].to == ProcessId{1});
  CHECK(requests[1].took_ns == 6'000'000);
}

TEST_CASE("find: the process that connects asks, even if the other one speaks first", "[find]") {
  EventScript script({"red"});
  script.process("server", "red");
  script.process("client", "red");
  script.at_ms("client", 1);
  script.other("client", 0, EventType::connect, "server");
  const auto say = [&](const char* from, double at, const char* to) {
    script.at_ms(from, at);
    const auto message = script.send(from, 0, to);
    script.at_ms(to, at + 1);
    script.receive(to, 0, message);
  };
  say("server", 2, "client");  // it greets
  say("client", 10, "server");
  say("server", 20, "client");
  const auto requests = found(script, "requests");
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].from == ProcessId{1});
  CHECK(requests[0].took_ns == 11'000'000);
}

TEST_CASE("find: processes and channels add up what passes", "[find]") {
  const auto processes = found(asking(), "processes process:B");
  REQUIRE(processes.size() == 2);
  CHECK(processes[0].cpu_ns == 43'000'000);
  CHECK(processes[0].messages == 4);
  CHECK(processes[0].bytes == 20);
  CHECK(processes[0].at_ns == 1'000'000);
  CHECK(processes[0].took_ns == 49'000'000);
  const auto channels = found(asking(), "channels from:A");
  REQUIRE(channels.size() == 1);
  CHECK(channels[0].bytes == 2100);
  CHECK(channels[0].messages == 2);
  CHECK(channels[0].took_ns == 1'000'000);
}

TEST_CASE("find: a name that nothing has is refused with the nearest one", "[find]") {
  CHECK_THAT(refusal(asking(), "from:Bee"), Catch::Contains("from: no process 'Bee' in the trace"));
  CHECK_THAT(refusal(asking(), "program:clint"), Catch::Contains("did you mean 'client'?"));
  CHECK_THAT(refusal(asking(), "machine:rad"), Catch::Contains("no machine 'rad' in the trace (did you mean 'red'?)"));
  CHECK_THAT(refusal(asking(), "channel:x"), Catch::Contains("no channel 'x'"));
}

TEST_CASE("find: a limit leaves out the last, and the table counts them", "[find]") {
  const EventScript script = asking();
  const auto messages = found(script, "");
  const std::string text = items_text(messages, ItemKind::messages, script.info, {2}, 80);
  CHECK_THAT(text, Catch::Contains("and 3 more (--limit 0 shows them)"));
  CHECK(items_json(messages, ItemKind::messages, script.info, {2}, {})["items"].size() == 2);
  CHECK(items_json(messages, ItemKind::messages, script.info, {2}, {})["found"] == 5);
  CHECK(items_json(messages, ItemKind::messages, script.info, {0}, {})["items"].size() == 5);
}

TEST_CASE("find: no line of a table is longer than 80 columns", "[find]") {
  EventScript script({"a-machine-with-a-name-that-is-rather-long.example.org"});
  const std::string machine = script.info.machines[0].name, one(70, 'x'), other(70, 'y');
  script.process(one, machine, std::string(60, 'p'));
  script.process(other, machine, "q");
  script.info.channels[1].name = std::string(90, 'c');
  script.receive(other, 1, script.send(one, 1, other, 4'000'000'000u));
  for (const std::string& kind : item_kind_names()) {
    INFO(kind);
    const auto items = found(script, kind);
    const ItemKind of = *item_kind_from_name(kind);
    std::string lines = items_text(items, of, script.info, {}, 80);
    if (kind == "messages") lines += edges_text(edges_of(items), of, script.info, {}, 80);
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) CHECK(character_count(line) <= 80);
  }
}

TEST_CASE("find: the histograms of all edges have every message once", "[find]") {
  const auto messages = found(asking(), "");
  const auto edges = edges_of(messages);
  REQUIRE(edges.size() == 3);
  std::uint64_t all = 0, in_buckets = 0;
  for (const Edge& edge : edges) {
    all += edge.items;
    for (const auto& bucket : edge.latencies.by_power()) in_buckets += bucket.count;
  }
  CHECK(all == messages.size());
  CHECK(in_buckets == messages.size());
}

TEST_CASE("find: messages and their latencies are those of an obvious search on random systems", "[find]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    test::RandomShape shape;
    shape.machines = 1;  // so that one clock has all times
    shape.created = seed % 3 == 0;
    const test::ObviousSystem system = test::random_system(seed, shape);
    const test::ObviousRun run = test::simulate(system, test::random_placement(seed, system.info));
    const auto messages = found(system.info, run.events, "");
    std::size_t joined = 0;
    for (const Event& send : run.events) {
      if (send.type != EventType::send || (send.flags & event_flags::kKernelMessage) != 0) continue;
      for (const Event& receive : run.events) {
        if (receive.type != EventType::receive || receive.peer != send.process || receive.channel != send.channel ||
            receive.sequence != send.sequence)
          continue;
        ++joined;
        const auto is_it = [&](const Item& item) {
          return item.from == send.process && item.to == receive.process && item.channel == send.channel &&
                 item.took_ns == (receive.local_time - send.local_time).ns && item.bytes == send.length_bytes;
        };
        REQUIRE(std::any_of(messages.begin(), messages.end(), is_it));
      }
    }
    const auto is_known = [](const Item& item) { return item.took_ns != Item::kUnknown; };
    REQUIRE(static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), is_known)) == joined);
  }
}

}  // namespace
}  // namespace dpm::cli
