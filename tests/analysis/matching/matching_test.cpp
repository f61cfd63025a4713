// What becomes of messages, each fate by hand.
#include "analysis/matching/matching.hpp"

#include "tests/analysis/messages/live_script.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Matching matching_of(const LiveScript& script) {
  MatchingAnalysis analysis;
  DPM_CHECK(MemorySource(script.resolved()).run(analysis).has_value());
  return analysis.result();
}

struct Two : LiveScript {
  ProcessId a = process("a"), b = process("b");
  ChannelId way = stream("tcp 10.0.0.1:1 > 10.0.0.2:2");
};

}  // namespace

TEST_CASE("matching: within a machine and between two", "[matching]") {
  Two script;
  script.send(script.a, script.way, 0, 10);
  script.receive(script.b, script.way, 0, 10);
  CHECK(matching_of(script).of(Fate::matched_within) == 1);
  for (auto& event : script.recording.events)
    if (event.process == script.b) event.machine = MachineId{1};
  script.recording.info.machines.push_back({"there", 1});
  const Matching found = matching_of(script);
  CHECK(found.of(Fate::matched_between) == 1);
  CHECK(found.all() == 1);
  CHECK(found.matched_share() == 1);
}

TEST_CASE("matching: messages to unmetered processes are outside, and not part of the share", "[matching]") {
  Two script;
  script.send(script.a, script.way, 0, 10);
  script.receive(script.a, script.stream("tcp 10.0.0.2:2 > 10.0.0.1:1"), 0, 10);
  const Matching found = matching_of(script);
  CHECK(found.of(Fate::outside) == 2);
  CHECK(found.matched_share() == 1);
}

TEST_CASE("matching: messages older than an acquired process's first are before_acquire", "[matching]") {
  Two script;
  script.recording.info.processes[script.b.value].acquired = true;
  script.send(script.a, script.way, 0, 10);
  script.send(script.a, script.way, 10, 10);
  script.send(script.a, script.way, 20, 10);
  script.receive(script.b, script.way, 20, 10);
  const ChannelId back = script.stream("tcp 10.0.0.2:2 > 10.0.0.1:1");
  script.receive(script.a, back, 0, 5);
  script.receive(script.a, back, 5, 5);
  script.send(script.b, back, 5, 5);
  Matching found = matching_of(script);
  CHECK(found.of(Fate::before_acquire) == 3);
  CHECK(found.of(Fate::matched_within) == 2);
  script.recording.info.processes[script.b.value].acquired = false;
  found = matching_of(script);
  CHECK(found.of(Fate::before_acquire) == 0);
  CHECK(found.of(Fate::lost) == 3);
  CHECK(found.matched_share() == Approx(.4));
}

TEST_CASE("matching: sent after the last that was taken is not received, sent before it is lost", "[matching]") {
  Two script;
  for (std::uint64_t i = 0; i < 4; ++i) script.send(script.a, script.way, 10 * i, 10);
  script.receive(script.b, script.way, 0, 10);
  script.receive(script.b, script.way, 20, 10);
  const ChannelId datagrams = script.datagrams("udp 10.0.0.1:1 > 10.0.0.2:2");
  for (const std::uint32_t bytes : {1u, 2u, 3u, 4u}) script.send(script.a, datagrams, bytes, bytes);
  script.receive(script.b, datagrams, 0, 1);
  script.receive(script.b, datagrams, 0, 3);
  script.receive(script.b, datagrams, 0, 77);
  const Matching found = matching_of(script);
  CHECK(found.of(Fate::matched_within) == 4);
  CHECK(found.of(Fate::lost) == 3);          // a SEND of each, and the RECEIVE of 77 bytes
  CHECK(found.of(Fate::not_received) == 2);  // the last of each
}
