// What metering and waking cost: subtracted from a live trace, and charged where a replay wakes.
#include "analysis/prediction/tracing_cost.hpp"

#include "analysis/history/replay.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr double kMs = 1e-3;

// A computes and sends twice; B waits for the first message, and finds the second in its queue.
EventScript two_messages() {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.info.channel_sets.resize(1);
  script.at_ms("B", 1);
  script.receive_call("B", 2, 0);
  script.at_ms("A", 10);
  const auto first = script.send("A", 10, "B");
  script.at_ms("B", 11);
  script.receive("B", 0, first);
  script.at_ms("A", 20);
  const auto second = script.send("A", 10, "B");
  script.at_ms("B", 30);
  script.receive_call("B", 7, 0);
  script.receive("B", 0, second);
  script.end("A", 4);
  script.end("B", 3);
  return script;
}

Calibration costs() {
  Calibration calibration;
  calibration.metering = {.call_cpu_s = 1 * kMs, .waiting_call_cpu_s = 2 * kMs, .wake_up = {}};
  calibration.delays.remote.wake_ups =
      WakeUp{.delivery_s = 5 * kMs, .sender_cpu_s = 3 * kMs, .receiver_cpu_s = 4 * kMs};
  return calibration;
}

std::vector<std::uint64_t> cpu_ms(const History& history, std::uint32_t process) {
  std::vector<std::uint64_t> ms;
  for (const auto& event : history.of(ProcessId{process})) ms.push_back(event.cpu_ns / 1'000'000);
  return ms;
}

}  // namespace

TEST_CASE("tracing cost: a call's cost is taken from the CPU time after it", "[prediction]") {
  const auto script = two_messages();
  History history = history_of(script.info, script.events);
  CHECK(history.of(ProcessId{1})[0].waited == 1);
  CHECK(history.of(ProcessId{1})[1].waited == 0);
  const TracingCost taken = take_out_tracing_cost(history, costs());
  // A: 10, then 10 less one call and one wake-up, then 4 less one call. B: 2, then 7 less a waiting call and being
  // woken.
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{10, 6, 3});
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{2, 1, 2});
  CHECK(taken.calls == 4);
  CHECK(taken.metering_ns == 5'000'000);
  CHECK(taken.wake_ups == 1);
  CHECK(taken.wake_up_ns == 7'000'000);
}

TEST_CASE("tracing cost: what waking costs while metered counts where it is known", "[prediction]") {
  const auto script = two_messages();
  History history = history_of(script.info, script.events);
  Calibration calibration = costs();
  calibration.metering.wake_up = {.delivery_s = 0, .sender_cpu_s = 6 * kMs, .receiver_cpu_s = 0};
  take_out_tracing_cost(history, calibration);
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{10, 3, 3});
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{2, 5, 2});
}

TEST_CASE("tracing cost: on one machine no process was woken from another machine", "[prediction]") {
  auto script = two_messages();
  script.info.processes[1].machine = {0};
  for (auto& event : script.events) event.machine = {0};
  History history = history_of(script.info, script.events);
  const TracingCost taken = take_out_tracing_cost(history, costs());
  CHECK(taken.wake_ups == 0);
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{10, 9, 3});
}

TEST_CASE("tracing cost: what cannot be taken from one interval is taken from the next", "[prediction]") {
  const auto script = two_messages();
  History history = history_of(script.info, script.events);
  Calibration calibration;
  calibration.metering.call_cpu_s = 12 * kMs;
  take_out_tracing_cost(history, calibration);
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{10, 0, 0});
}

TEST_CASE("tracing cost: a call that found nothing costs what another costs", "[prediction]") {
  auto script = two_messages();
  script.receive_call("B", 2, 0);
  script.receive_call("B", 2, 0);
  script.send("B", 6, "A");
  History history = history_of(script.info, script.events);
  REQUIRE(history.calls_between.size() == 1);
  CHECK(history.calls_between[0].calls == 2);
  const TracingCost taken = take_out_tracing_cost(history, costs());
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{2, 1, 10, 0});
  CHECK(taken.calls == 4 + 3);
}

TEST_CASE("tracing cost: a process that was idle when a message was sent to it had to be woken, whatever it waited in",
          "[prediction]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "red");
  script.at_ms("B", 0);
  const auto hello = script.send("B", 1, "A");
  script.at_ms("A", 20);
  script.receive("A", 1, hello);
  const auto first = script.send("A", 4, "B");
  const auto second = script.send("A", 5, "B");
  script.at_ms("B", 30);  // in poll() since 0 + 3 of work
  script.receive("B", 3, first);
  script.receive("B", 8, second);
  script.end("A", 9);
  script.end("B", 9);
  History history = history_of(script.info, script.events);
  CHECK(history.of(ProcessId{1})[1].slept == 1);
  CHECK(history.of(ProcessId{1})[1].waited == 0);
  CHECK(history.of(ProcessId{1})[2].slept == 0);  // it was there when the one before was received
  history.info.processes[1].machine = {1};
  const TracingCost taken = take_out_tracing_cost(history, costs());
  CHECK(taken.wake_ups == 1);
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{1, 3, 1, 8});
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{1, 2, 3, 8});
}

TEST_CASE("tracing cost: a process that was ready while others had the CPU was not woken", "[prediction]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "red");
  script.at_ms("B", 0);
  const auto hello = script.send("B", 1, "A");
  script.at_ms("A", 20);
  script.receive("A", 1, hello);
  const auto message = script.send("A", 4, "B");
  script.at_ms("B", 30);
  script.receive("B", 3, message);
  script.end("A", 9);
  script.end("B", 9);
  // Of the 30 ms before it received, B ran 3. Ready in the others, it was never idle; ready in 7, it slept for 20.
  for (const auto& [ready_ms, slept] : {std::pair{27u, 0u}, {7u, 1u}}) {
    auto events = script.events;
    bool received = false;
    for (Event& event : events) {
      if (event.process != ProcessId{1}) continue;
      received |= event.type == EventType::receive;
      event.ready_time_ns = received ? ready_ms * std::uint64_t{1'000'000} : 0;
    }
    const History history = history_of(script.info, events);
    CHECK(history.of(ProcessId{1})[1].slept == slept);
  }
}

TEST_CASE("tracing cost: waking costs what it does after the time that the core was idle on average", "[prediction]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "red");
  script.at_ms("B", 0);
  const auto hello = script.send("B", 1, "A");
  script.at_ms("A", 10);
  script.receive("A", 1, hello);
  const auto first = script.send("A", 1, "B");
  script.at_ms("B", 11);
  script.receive("B", 2, first);
  script.at_ms("A", 30);
  const auto second = script.send("A", 1, "B");
  script.at_ms("B", 31);
  script.receive("B", 4, second);
  script.end("A", 1);
  script.end("B", 4);
  History history = history_of(script.info, script.events);
  history.info.processes[1].machine = {1};
  Calibration calibration;
  calibration.delays.remote.wake_ups = WakeUps::through({{0, {0, 0, 0}}, {100 * kMs, {0, 0, 10 * kMs}}}).value();
  // B's core was idle for 31 - 11 = 20 ms and woken twice: after 10 ms, waking costs 1 ms.
  const TracingCost taken = take_out_tracing_cost(history, calibration);
  CHECK(taken.wake_up_ns == 2'000'000);
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{1, 2, 3, 3});
}

TEST_CASE("wake-ups: a message that is slept for on another machine comes later, and both ends pay", "[prediction]") {
  const auto script = two_messages();
  History history = history_of(script.info, script.events);
  Target apart = traced_target(history);
  apart.delays = costs().delays;
  for (const Order order : {Order::recorded, Order::arrival}) {
    const ReplayResult replayed = Replay(history, apart).run(order, apart.machine_of);
    // B is ready at 2 and sleeps until 10 + 5; its 7 of work and 4 of being woken end at 26. A: 10, 10 + 3, 4 end at
    // 27. The second message has come at 23, so B continues at once: 26 + 3 = 29.
    CHECK(replayed.elapsed_ns == Approx(29e6));
    CHECK(replayed.cpu_ns == (24 + 12 + 7) * 1'000'000);
    Target together = apart;
    together.machine_of[1] = together.machine_of[0];
    CHECK(Replay(history, together).run(order, together.machine_of).elapsed_ns == Approx(36e6));
  }
}

TEST_CASE("wake-ups: the longer a machine has been idle, the more they cost", "[prediction]") {
  const auto script = two_messages();
  const History history = history_of(script.info, script.events);
  Target apart = traced_target(history);
  const auto elapsed_ms = [&](double turn_s, std::vector<WakeUps::Point> points) {
    apart.time_slice = Duration::from_seconds(turn_s);
    apart.delays.remote.wake_ups = WakeUps::through(std::move(points)).value();
    return Replay(history, apart).run(Order::recorded, apart.machine_of).elapsed_ns * 1e-6;
  };
  for (const double turn_s : {0.0, 1.0}) {
    // B falls asleep at 2, and A sends at 10: after 8 these are the costs of the case above.
    const WakeUp low = {1 * kMs, 1 * kMs, 2 * kMs}, high = {9 * kMs, 5 * kMs, 6 * kMs};
    CHECK(elapsed_ms(turn_s, {{6 * kMs, low}, {10 * kMs, high}}) == Approx(29));
    // B: 10 + 1, and 7 + 2 of work end at 20. The second message is sent at 20 + 1, and B, asleep for 1, wakes for as
    // much: 22, and 2 + 3 of work end at 27.
    CHECK(elapsed_ms(turn_s, {{20 * kMs, low}, {30 * kMs, high}}) == Approx(27));
  }
}

TEST_CASE("wake-ups: a core that is at work need not be woken", "[prediction]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.process("C", "green");
  const auto hello = script.send("A", 10, "B");
  script.receive("B", 0, hello);
  script.end("B", 1);
  const auto late = script.send("C", 100, "A");
  script.receive("A", 0, late);
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  target.delays = costs().delays;
  const auto run = Replay(history, target).run(Order::arrival, target.machine_of, true);
  CHECK(run.schedule->finished_ns[history.first_event[1]] == Approx(10e6));
  CHECK(run.cpu_ns == (10 + 1 + 100 + 3 + 4) * 1'000'000);  // C wakes A, because red is idle then
}

TEST_CASE("time slices: processes of one core run one after the other, each for its time slice", "[prediction]") {
  EventScript script({"red", "green"});
  for (const auto* name : {"A", "B", "C"}) script.process(name, "red");
  script.process("D", "green");
  const auto from_a = script.send("A", 10, "D"), from_b = script.send("B", 30, "D"), from_c = script.send("C", 20, "D");
  for (const auto& message : {from_a, from_b, from_c}) script.receive("D", 0, message);
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  const auto finished_ms = [&](std::uint32_t process) {
    const auto run = Replay(history, target).run(Order::arrival, target.machine_of, true);
    return run.schedule->finished_ns[history.first_event[process]] * 1e-6;
  };
  target.time_slice = Duration::from_seconds(.1);  // longer than any process needs
  CHECK(finished_ms(0) == Approx(10));
  CHECK(finished_ms(1) == Approx(40));
  CHECK(finished_ms(2) == Approx(60));
  target.time_slice = Duration::from_seconds(.015);  // A 10, B 15, C 15, B 15, C 5
  CHECK(finished_ms(1) == Approx(55));
  CHECK(finished_ms(2) == Approx(60));
  target.time_slice = Duration::from_seconds(1e-6);  // next to equal shares
  CHECK(finished_ms(0) == Approx(30).margin(.01));
  CHECK(finished_ms(2) == Approx(50).margin(.01));
}

TEST_CASE("tracing cost: the run as its clocks have it has all the time that its meter took", "[prediction]") {
  const auto script = two_messages();
  History history = history_of(script.info, script.events);
  Calibration calibration;
  CHECK(put_in_meters_time(history, calibration) == 0);
  calibration.metering.call_elapsed_s = 20 * kMs;
  calibration.metering.waiting_call_elapsed_s = 30 * kMs;
  CHECK(put_in_meters_time(history, calibration) == 90'000'000);
  CHECK(cpu_ms(history, 0) == std::vector<std::uint64_t>{10, 30, 24});
  CHECK(cpu_ms(history, 1) == std::vector<std::uint64_t>{2, 37, 23});
}

TEST_CASE("tracing cost: metering may be fitted to what the program itself uses unmetered", "[prediction]") {
  auto script = two_messages();
  script.info.processes[1].machine = {0};
  for (auto& event : script.events) event.machine = {0};
  History history = history_of(script.info, script.events);
  // 36 ms of CPU time, of which calls cost 1 + 1 + 1 + 2 by the calibration; the program itself measures 10.
  const Calibration fitted = fitted_to(history, costs(), .026);
  CHECK(fitted.metering.call_cpu_s == Approx(2 * kMs));
  CHECK(fitted.metering.waiting_call_cpu_s == Approx(4 * kMs));
  take_out_tracing_cost(history, fitted);
  CHECK(history.cpu_ns() == 26'000'000);
  CHECK(fitted_to(history, Calibration(), 1).metering.call_cpu_s == 0);  // it uses more, not less
}
