// Datagrams: matched by order and size, against the obvious way to do it.
#include "analysis/messages/datagrams.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/history/history.hpp"
#include "model/random.hpp"
#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

TEST_CASE("datagrams: a SEND passed over is lost, one that no process waited for is open", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), r = script.process("r");
  const auto port = script.datagrams("udp 127.0.0.1:9 > 127.0.0.1:53");
  const std::uint32_t bytes[] = {100, 20, 300, 40};
  for (std::uint64_t i = 0; i < 4; ++i) script.send(a, port, i + 1, bytes[i]);
  script.receive(r, port, 0, 100);
  script.receive(r, port, 0, 300);
  const Recording resolved = script.resolved();
  CHECK(shown(resolved) == Lines{"a SEND to r #1 100", "a SEND to r #2 20", "a SEND to r #3 300", "a SEND to r #4 40",
                                 "r RECEIVE from a #1 100 inferred", "r RECEIVE from a #3 300 inferred"});
  CHECK(resolved.losses.warnings ==
        Lines{"datagrams matched by order and size: 2", "datagrams sent and not received, though later ones were: 1"});
  HistoryBuilder builder;
  REQUIRE(MemorySource(resolved).run(builder));
  const History history = builder.take().value();
  CHECK(history.sends_without_receive == 2);
  CHECK(history.of(a)[0].arc() == ArcKind::inferred);
  CHECK(history.of(a)[1].arc() == ArcKind::missing);
}

TEST_CASE("datagrams: an empty one is a message, and what was sent later cannot have been received", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), r = script.process("r");
  const auto port = script.datagrams("udp 127.0.0.1:9 > 127.0.0.1:53");
  script.receive(r, port, 0, 7);  // from another process
  script.send(a, port, 1, 0);
  script.send(a, port, 2, 7);
  script.receive(r, port, 0, 0);
  script.receive(r, port, 0, 7);
  const auto lines = shown(script.resolved());
  CHECK(lines[0].starts_with("r RECEIVE from a #9223372036854775808 7"));
  CHECK(lines[3] == "r RECEIVE from a #1 0 inferred");
  CHECK(lines[4] == "r RECEIVE from a #2 7 inferred");
}

TEST_CASE("datagrams: known senders are believed, and unmetered ends are outside", "[messages]") {
  LiveScript script;
  const auto a = script.process("a"), b = script.process("b"), r = script.process("r");
  const auto port = script.datagrams("unix  > /run/log");
  const auto out = script.datagrams("udp 10.0.0.1:9 > 10.0.0.2:53"),
             in = script.datagrams("udp 10.0.0.2:53 > 10.0.0.1:9");
  script.send(a, port, 1, 5);
  script.send(b, port, 1, 5);
  script.event(r, EventType::receive, port).length_bytes = 5;
  script.recording.events.back().peer = b;
  script.event(r, EventType::receive, port).length_bytes = 5;
  script.send(r, out, 1, 30);
  script.receive(r, in, 0, 60);
  CHECK(shown(script.resolved()) == Lines{"a SEND to r #1 5", "b SEND to r #1 5", "r RECEIVE from b #1 5 inferred",
                                          "r RECEIVE from a #1 5 inferred", "r SEND to outside 10.0.0.2:53 #1 30",
                                          "r RECEIVE from outside 10.0.0.2:53 #9223372036854775808 60"});
}

namespace {

struct SlowSend {
  std::size_t event = 0;
  bool taken = false;
};

// The rule of datagrams.hpp, searching everything each time. By RECEIVE: its SEND, if it has one.
std::map<std::size_t, std::size_t> match_slowly(const std::vector<Event>& events) {
  std::map<std::size_t, std::size_t> sends;
  std::map<ProcessId, std::vector<SlowSend>> sent;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].type == EventType::send) sent[events[i].process].push_back({i});
  }
  std::vector<std::size_t> receives;
  for (const bool has_sender : {true, false})
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].type == EventType::receive && has_sender != events[i].peer.is_none()) receives.push_back(i);
  for (const std::size_t i : receives) {
    std::size_t best = 0, fewest = events.size();
    SlowSend* taken = nullptr;
    for (auto& [process, list] : sent) {
      if (!events[i].peer.is_none() && events[i].peer != process) continue;
      std::size_t next = 0;
      for (std::size_t k = 0; k < list.size(); ++k) next = list[k].taken ? k + 1 : next;
      for (std::size_t k = next; k < list.size(); ++k) {
        const Event& send = events[list[k].event];
        if (send.length_bytes != events[i].length_bytes) continue;
        if (send.local_time > events[i].local_time) break;
        if (k - next < fewest || (k - next == fewest && list[k].event < best)) {
          fewest = k - next;
          best = list[k].event;
          taken = &list[k];
        }
        break;
      }
    }
    if (taken == nullptr) continue;
    taken->taken = true;
    sends[i] = taken->event;
  }
  return sends;
}

}  // namespace

TEST_CASE("datagrams: the quick matching is the obvious one", "[messages]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    LiveScript script;
    for (int p = 0; p < 5; ++p) script.process("p" + std::to_string(p));
    const auto port = script.datagrams("udp 127.0.0.1:9 > 127.0.0.1:53");
    const std::uint64_t sizes = 1 + random.below(6);
    const double peers_known = .5 * static_cast<double>(random.below(3));
    std::map<ProcessId, std::uint64_t> number;
    std::vector<std::size_t> waiting;
    for (int step = 0; step < 200; ++step) {
      if (random.chance(.55)) {
        const ProcessId sender{static_cast<std::uint32_t>(random.below(3))};
        script.send(sender, port, ++number[sender], static_cast<std::uint32_t>(random.below(sizes)));
        if (!random.chance(.1)) waiting.push_back(script.recording.events.size() - 1);
      } else if (!waiting.empty()) {
        const Event sent = script.recording.events[waiting.front()];
        waiting.erase(waiting.begin());
        script.receive(ProcessId{static_cast<std::uint32_t>(3 + random.below(2))}, port, 0, sent.length_bytes);
        if (random.chance(peers_known)) script.recording.events.back().peer = sent.process;
      }
    }
    const auto& events = script.recording.events;
    const auto expected = match_slowly(events);
    const Recording resolved = resolve(reordered_between_processes(script.recording, seed));
    REQUIRE(resolved.events.size() == events.size());
    std::map<std::int64_t, Event> at;
    for (const auto& event : resolved.events) at[event.local_time.ns] = event;
    INFO("seed " << seed);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].type != EventType::receive) continue;
      const Event& outcome = at.at(events[i].local_time.ns);
      const auto found = expected.find(i);
      CHECK((outcome.sequence < std::uint64_t{1} << 63) == (found != expected.end()));
      if (found == expected.end()) continue;
      CHECK(outcome.peer == events[found->second].process);
      CHECK(outcome.sequence == events[found->second].sequence);
      CHECK(at.at(events[found->second].local_time.ns).peer == events[i].process);
    }
  }
}
