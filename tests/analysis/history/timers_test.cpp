#include "analysis/history/timers.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// A collector that takes items, and writes to an archive when none has come for a time.
class Collected {
 public:
  Collected() : script_({"red"}) {
    script_.process("source", "red", "source");
    script_.process("collector", "red", "collector");
    script_.process("archive", "red", "archive");
  }

  // An item is taken; after `waited_ms` without another the collector computes for 1 ms and writes.
  void item_and_write(double waited_ms) {
    script_.receive("collector", 0, script_.send("source", 1, "collector"));
    script_.receive_call("collector", 0, 0);
    now_ms_ += waited_ms + 1;
    script_.at_ms("collector", now_ms_);
    script_.receive("archive", 0, script_.send("collector", 1, "archive"));
  }

  History history() const { return history_of(script_.info, script_.events); }

 private:
  EventScript script_;
  double now_ms_ = 0;
};

}  // namespace

TEST_CASE("timers: waits without a message that are all as long are a timer's", "[history]") {
  Collected collected;
  for (int i = 0; i < 4; ++i) collected.item_and_write(30);
  const History history = collected.history();
  const Timers timers = find_timers(history);
  REQUIRE(timers.idle.size() == 1);
  CHECK(timers.idle[0].times == 4);
  CHECK(timers.idle[0].wait_ns == 30'000'000);
  CHECK(timers.waits_ns.empty());
}

TEST_CASE("timers: a process that shared its machine when it went on may seem to have waited longer", "[history]") {
  Collected collected;
  for (const double waited_ms : {30, 47, 30, 35}) collected.item_and_write(waited_ms);
  const Timers timers = find_timers(collected.history());
  REQUIRE(timers.idle.size() == 1);
  CHECK(timers.idle[0].wait_ns == 30'000'000);
}

TEST_CASE("timers: waits of different lengths, too few, or too short to be waits, are not", "[history]") {
  Collected different, few, looks;
  for (const double waited_ms : {10, 20, 35, 47, 60}) different.item_and_write(waited_ms);
  for (int i = 0; i < 2; ++i) few.item_and_write(30);
  for (int i = 0; i < 9; ++i) looks.item_and_write(.001);
  CHECK(find_timers(different.history()).idle.empty());
  CHECK(find_timers(few.history()).idle.empty());
  CHECK(find_timers(looks.history()).idle.empty());
}

TEST_CASE("timers: calls are told from a time for several answers", "[history]") {
  const bool one_call = GENERATE(true, false);
  EventScript script({"red"});
  script.process("search", "red", "search");
  script.process("client", "red", "client");
  for (const char* name : {"shard_1", "shard_2"}) script.process(name, "red", "shard");
  script.info.channel_sets = {{}, {ChannelId{0}}};
  double now_ms = 0;
  for (const double first_ms : {5, 12, 17, 3}) {
    script.at_ms("search", now_ms);
    const auto asked = script.send("search", 0, "shard_1");
    script.receive("shard_1", 0, asked);
    if (!one_call) {
      script.receive_call("search", 0, 1);
      script.at_ms("search", now_ms + first_ms);
      script.receive("search", 0, script.send("shard_1", 1, "search"));
    }
    script.receive_call("search", 0, 1);
    script.at_ms("search", now_ms += 20);
    script.receive("client", 0, script.send("search", 0, "client"));
  }
  const Timers timers = find_timers(history_of(script.info, script.events));
  CHECK(timers.idle.empty());
  REQUIRE(timers.of_calls.size() == (one_call ? 1 : 0));
  if (one_call) CHECK(timers.of_calls[0].wait_ns == 20'000'000);
  CHECK(timers.waits_ns.size() == (one_call ? 4 : 0));
}
