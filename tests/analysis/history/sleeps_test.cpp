#include "analysis/history/sleeps.hpp"

#include <memory>
#include <string>

#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr int kTicks = 5;

// A clock ticks every 20 ms, of which it works 1 ms; at every second tick it had to wait `late_ms` for its core. Its neighbour, if there is
// one, works beside it.
History ticking(bool scripted, double late_ms, bool has_neighbour) {
  EventScript script({"red", "blue"});
  script.process("clock", "red", "clock");
  script.process("listener", "blue", "listener");
  script.process("neighbour", "red", "neighbour");
  script.info.properties.scripted = scripted;
  script.info.channel_sets.resize(1);
  double now_ms = 0;
  for (int i = 0; i <= kTicks; ++i) {
    now_ms += i == 0 ? 1 : 20 + (i % 2 == 1 ? late_ms : 0);
    script.at_ms("clock", now_ms);
    const auto tick = script.send("clock", 1, "listener");
    script.receive_call("listener", 0, 0);
    script.at_ms("listener", now_ms);
    script.receive("listener", 0, tick);
  }
  script.end("neighbour", has_neighbour ? 10 : 0);
  return history_of(script.info, script.events);
}

}  // namespace

TEST_CASE("sleeps: time that a process neither works nor waits for a message is slept, here and elsewhere",
          "[history]") {
  const History history = ticking(true, 0, false);
  const Sleeps sleeps = find_sleeps(history);
  CHECK(sleeps.processes == std::vector<std::uint32_t>{0});
  CHECK(sleeps.before_ns.size() == kTicks);
  CHECK(sleeps.total_ns == kTicks * 19'000'000);

  Roles roles;
  roles.sleeps = std::make_shared<const Sleeps>(sleeps);
  Target target = traced_target(history);
  target.machines[0].speed = .5;
  for (const Order order : {Order::recorded, Order::arrival, Order::role}) {
    const ReplayResult run = Replay(history, target, roles).run(order, target.machine_of);
    CHECK(run.not_performed == 0);
    CHECK(run.elapsed_ns * 1e-6 == Approx(kTicks * 19 + (kTicks + 1) * 2));
  }
}

TEST_CASE("sleeps: on a shared machine, a process may have waited for a core", "[history]") {
  CHECK(find_sleeps(ticking(true, 3, false)).total_ns == (5 * 19 + 3 * 3) * 1'000'000);
  CHECK(find_sleeps(ticking(true, 3, true)).before_ns.empty());
}

TEST_CASE("sleeps: in traces of real programs none are assumed", "[history]") {
  CHECK(find_sleeps(ticking(false, 0, false)).before_ns.empty());
}
