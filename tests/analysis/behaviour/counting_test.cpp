#include "analysis/behaviour/counting.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

EventScript with_processes(std::initializer_list<const char*> names) {
  EventScript script({"red"});
  for (const char* name : names) script.process(name, "red");
  return script;
}

}  // namespace

TEST_CASE("counting: a process that continues when both neighbours have been heard from counts, whichever comes first",
          "[behaviour]") {
  EventScript script = with_processes({"middle", "left", "right"});
  for (int round = 0; round < 6; ++round) {
    const auto from_left = script.send("left", 1, "middle"), from_right = script.send("right", 1, "middle");
    script.receive("middle", 0, round % 2 == 0 ? from_left : from_right);
    script.receive("middle", 0, round % 2 == 0 ? from_right : from_left);
    script.receive("left", 0, script.send("middle", 2, "left"));
  }
  const auto found = find_counting(history_of(script.info, script.events));
  REQUIRE(found.size() == 1);
  CHECK(found[0].process == ProcessId{0});
  CHECK(found[0].every == 2);
  CHECK(found[0].senders == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("counting: messages that come in pairs from one sender are not counted, whatever other senders there are",
          "[behaviour]") {
  EventScript script = with_processes({"disk", "driver", "operator"});
  script.receive("disk", 0, script.send("operator", 1, "disk"));
  script.receive("disk", 0, script.send("driver", 1, "disk"));
  script.receive("driver", 0, script.send("disk", 2, "driver"));
  for (int round = 0; round < 6; ++round) {
    const auto block = script.send("driver", 1, "disk"), command = script.send("driver", 1, "disk");
    script.receive("disk", 0, block);
    script.receive("disk", 0, command);
    script.receive("driver", 0, script.send("disk", 2, "driver"));
  }
  CHECK(find_counting(history_of(script.info, script.events)).empty());
}

TEST_CASE("counting: a server that answers each of two clients does not count", "[behaviour]") {
  EventScript script = with_processes({"server", "one", "other"});
  for (int round = 0; round < 6; ++round) {
    for (const char* client : {"one", "other"}) {
      script.receive("server", 0, script.send(client, 1, "server"));
      script.receive(client, 0, script.send("server", 2, client));
    }
  }
  CHECK(find_counting(history_of(script.info, script.events)).empty());
}
