// The effect of waits for the ends of processes on longest paths, replays and bounds.
#include "analysis/history/replay.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/prediction/lower_bound.hpp"
#include "analysis/prediction/prediction.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// A make that starts `jobs` commands at a time and always waits for the oldest; each takes 10 ms and reports 1 ms
// before its end what it has done.
EventScript make(int commands, int jobs, std::uint16_t cores) {
  EventScript script({"red"});
  script.info.machines[0].cores = cores;
  script.process("make", "red");
  const auto name = [](int i) { return "command " + std::to_string(i); };
  for (int i = 0; i < commands; ++i) script.process(name(i), "red");
  const auto work = [&](int i) {
    const auto said = script.send(name(i), 9, "make");
    script.end(name(i), 1);
    script.receive("make", 0, said);
    script.wait("make", 0, name(i));
  };
  for (int i = 0; i < commands; ++i) {
    if (i >= jobs) work(i - jobs);
    script.other("make", 0, EventType::create_process, name(i));
  }
  for (int i = std::max(commands - jobs, 0); i < commands; ++i) work(i);
  script.end("make", 0);
  return script;
}

double replayed_ms(const History& history, Order order) {
  const Target target = traced_target(history);
  const ReplayResult result = Replay(history, target).run(order, target.machine_of);
  CHECK(result.not_performed == 0);
  CHECK(result.forced_receives == 0);
  return result.elapsed_ns * 1e-6;
}

}  // namespace

TEST_CASE("waits: commands that run one after the other do so in every replay, on as many cores as there are",
          "[prediction]") {
  const auto script = make(4, 1, 8);
  const History history = history_of(script.info, script.events);
  for (const Order order : {Order::recorded, Order::arrival, Order::role}) CHECK(replayed_ms(history, order) == 40);
  const Parallelism p = measure_parallelism(history, traced_target(history)).value();
  CHECK(p.no_delay.P == 1);
  CHECK(p.delay_cpu.P == 1);
  const Parallelism thesis = measure_parallelism(history, traced_target(history), SharingMethod::thesis1984).value();
  CHECK(thesis.delay_cpu.t_max_s == Approx(.040));
}

TEST_CASE("waits: two at a time are two at a time", "[prediction]") {
  const auto script = make(6, 2, 8);
  const History history = history_of(script.info, script.events);
  for (const Order order : {Order::recorded, Order::arrival}) CHECK(replayed_ms(history, order) == 30);
  CHECK(measure_parallelism(history, traced_target(history)).value().no_delay.P == 2);
}

TEST_CASE("waits: messages have delays, waits have none", "[prediction]") {
  EventScript script({"red", "blue"});
  script.process("parent", "red");
  script.process("child", "blue");
  script.info.delays = constant_delays(.003, .007);
  script.other("parent", 1, EventType::create_process, "child");
  script.end("child", 10);
  script.wait("parent", 2, "child");
  script.end("parent", 5);
  const History history = history_of(script.info, script.events);
  CHECK(replayed_ms(history, Order::recorded) == 16);
  const Target target = traced_target(history);
  CHECK(lower_bound_ns(history, target, {false, false}, {{0}, {1}}, Order::arrival) == 16e6);
  const CriticalPath path = critical_path(history, target, contended_schedule(history, target).value());
  CHECK(path.t_max_s == Approx(.016));
  CHECK(path.messages.empty());
  const Prediction prediction = predict(history, target).value();
  CHECK(prediction.elapsed_s == Approx(.016));
}

TEST_CASE("waits: a replay blocked at a wait for what another order put after it continues, and reports it",
          "[prediction]") {
  // a waits for c's end before it hears from b; where b is first, its work begins c.
  EventScript script({"red", "green", "blue"});
  for (const char* name : {"a", "b", "c", "d"}) script.process(name, "red");
  script.info.processes[1].machine = {1};
  script.info.processes[3].machine = {2};
  const auto from_b = script.send("b", 10, "a");
  const auto from_d = script.send("d", 1, "a");
  script.receive("a", 0, from_b);
  script.other("a", 1, EventType::create_process, "c");
  script.receive("a", 0, from_d);
  script.end("c", 1);
  script.wait("a", 1, "c");
  for (const char* name : {"a", "b", "d"}) script.end(name, 0);
  const History history = history_of(script.info, script.events);
  const Target target = traced_target(history);
  const ReplayResult result = Replay(history, target).run(Order::arrival, target.machine_of);
  CHECK(result.not_performed == 0);
  CHECK(result.forced_receives == 1);
}
