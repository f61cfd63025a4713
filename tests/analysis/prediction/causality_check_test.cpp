#include "analysis/prediction/causality_check.hpp"

#include "analysis/behaviour/behaviour.hpp"
#include "analysis/prediction/prediction.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Two clients ask a server, which asks a helper on green and waits for it. What comes meanwhile is only noted.
History deferring(int rounds) {
  EventScript script({"red", "green", "blue", "white"});
  script.process("server", "red", "server");
  script.process("helper", "green", "helper");
  script.process("one", "blue", "client");
  script.process("other", "white", "client");
  script.info.channel_sets.resize(1);
  const auto take = [&](const auto& message) {
    script.receive_call("server", 0, 0);
    script.receive("server", 0, message);
  };
  const auto ask_helper = [&] { script.receive("helper", 0, script.send("server", 0, "helper")); };
  for (int i = 0; i < rounds; ++i) {
    take(script.send("one", 20, "server"));
    ask_helper();
    take(script.send("other", 30, "server"));
    take(script.send("helper", 12, "server"));
    script.receive("one", 0, script.send("server", 1, "one"));
    ask_helper();
    take(script.send("helper", 12, "server"));
    script.receive("other", 0, script.send("server", 1, "other"));
  }
  return history_of(script.info, script.events);
}

Target with_quick_helper(const History& history) {
  Target target = traced_target(history);
  target.machines[1].speed = 12;
  return target;
}

}  // namespace

TEST_CASE("causality: a replay in which an answer precedes its request is found, and the rules of the trace have none",
          "[prediction]") {
  const History history = deferring(10);
  const Target target = with_quick_helper(history);
  const CausalityCheck causality(history);
  const auto by_arrival = Replay(history, target).run(Order::arrival, target.machine_of, true);
  CHECK(causality.early_answers(*by_arrival.schedule, {}) == std::vector<std::uint32_t>{0});
  const InferredBehaviour behaviour = infer_behaviour(history);
  const auto by_rule = Replay(history, target, behaviour.roles).run(Order::role, target.machine_of, true);
  CHECK(causality.early_answers(*by_rule.schedule, behaviour.roles).empty());
  // The slower client works for 30 ms and waits for 1 + 1 ms at least.
  CHECK(by_rule.elapsed_ns >= 10 * 32e6);
  CHECK(by_arrival.elapsed_ns < 10 * 32e6);
}

TEST_CASE("causality: no rule is needed for a time that a process needs for its own work and calls", "[prediction]") {
  const History history = deferring(10);
  Target target = with_quick_helper(history);
  target.delays.remote.delivery_s = *PiecewiseLinear::through({{1, 0.005}});
  const CausalityCheck causality(history);
  const auto run = Replay(history, target).run(Order::recorded, target.machine_of, true);
  CHECK(causality.shortest_ns(target, *run.schedule) == Approx(10 * (30e6 + 10e6)).epsilon(1e-6));
  CHECK(run.elapsed_ns >= causality.shortest_ns(target, *run.schedule));
}

TEST_CASE("causality: a prediction in an impossible order leaves the process in that of the trace, and reports it",
          "[prediction]") {
  const History history = deferring(10);
  const auto prediction = predict(history, with_quick_helper(history), {.order = Order::arrival});
  REQUIRE(prediction);
  CHECK(prediction->elapsed_s >= prediction->shortest_s);
  REQUIRE(prediction->unknown.size() == 1);
  CHECK(prediction->unknown.front().starts_with("server "));
  CHECK(predict(history, with_quick_helper(history))->unknown.empty());
}
