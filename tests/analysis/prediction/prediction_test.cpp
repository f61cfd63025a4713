#include "analysis/prediction/prediction.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"
#include "tests/support/random_system.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

History traced(ObviousSystem& system, const std::vector<MachineId>& placement) {
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  return history_of(system.info, simulate(system, placement).events);
}

std::vector<MachineId> packed(std::size_t processes, std::uint16_t per_machine) {
  std::vector<MachineId> machine_of;
  for (std::size_t p = 0; p < processes; ++p) machine_of.push_back({static_cast<std::uint16_t>(p / per_machine)});
  return machine_of;
}

}  // namespace

TEST_CASE("prediction: the traced placement is given back, by every measure of it", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    ObviousSystem system = selective_server(seed, 3, 10, false);
    const auto placement = random_placement(seed, system.info);
    const History history = traced(system, placement);
    const Prediction prediction = predict(history, traced_target(history)).value();
    REQUIRE(prediction.order == Order::arrival);
    REQUIRE(std::abs(prediction.identity_error) < 1e-9);
    REQUIRE(prediction.clock_error.value() < 1e-7);  // its clocks show whole nanoseconds
    REQUIRE(prediction.elapsed_s == Approx(simulate(system, placement).elapsed_ns * 1e-9).epsilon(1e-8));
    REQUIRE(prediction.P == Approx(prediction.T_s / prediction.elapsed_s));
    REQUIRE(prediction.warnings.empty());
  }
}

TEST_CASE(
    "prediction: the spread holds the recorded and the arrival order, and recorded order is not faster on the whole",
    "[prediction]") {
  int slower = 0, faster = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ObviousSystem system = selective_server(seed, 5, 10, false);
    const History history = traced(system, random_placement(seed, system.info));
    Target target = traced_target(history);
    target.machine_of = random_placement(seed + 1, system.info);
    const Prediction arrival = predict(history, target).value();
    const Prediction recorded = predict(history, target, {.order = Order::recorded}).value();
    for (const auto& prediction : {arrival, recorded}) {
      REQUIRE(arrival.spread.low_elapsed_s <= prediction.elapsed_s);
      REQUIRE(arrival.spread.high_elapsed_s >= prediction.elapsed_s);
      REQUIRE(arrival.spread.low_P <= prediction.P);
      REQUIRE(arrival.spread.high_P >= prediction.P);
    }
    slower += recorded.elapsed_s > arrival.elapsed_s * 1.000001;
    faster += recorded.elapsed_s < arrival.elapsed_s * .999999;
  }
  CHECK(slower > faster);
}

TEST_CASE("prediction: a dispatcher and its workers are recognised, and clients of a server that asks others are not",
          "[prediction]") {
  ObviousSystem system = dispatcher_and_workers(1, 4, 60, 2);
  const auto groups = find_role_groups(traced(system, packed(5, 1)));
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].dispatcher == ProcessId{0});
  CHECK(groups[0].workers == std::vector{ProcessId{1}, ProcessId{2}, ProcessId{3}, ProcessId{4}});
  CHECK(groups[0].program == "worker");

  ObviousSystem server = selective_server(1, 4, 10, false);
  for (std::size_t p = 2; p < server.info.processes.size(); ++p) server.info.processes[p].program = "client";
  CHECK(find_role_groups(traced(server, packed(6, 1))).empty());
}

TEST_CASE("prediction: clients that speak first are not workers, though each is answered at once", "[prediction]") {
  EventScript script({"red"});
  script.process("server", "red", "server");
  script.process("c1", "red", "client");
  script.process("c2", "red", "client");
  for (int i = 0; i < 3; ++i) {
    for (const char* client : {"c1", "c2"}) {
      script.receive("server", 1, script.send(client, 1, "server"));
      script.receive(client, 0, script.send("server", 1, client));
    }
  }
  CHECK(find_role_groups(history_of(script.info, script.events)).empty());
}

TEST_CASE("prediction: a leader that asks all its followers and waits for all gives no work to free ones",
          "[prediction]") {
  const std::vector<std::string> followers = {"f1", "f2", "f3"};
  EventScript script({"red"});
  script.process("leader", "red", "leader");
  for (const auto& follower : followers) script.process(follower, "red", "follower");
  for (int round = 0; round < 10; ++round) {
    for (const auto& follower : followers) script.receive(follower, 0, script.send("leader", 1, follower));
    for (const auto& follower : followers) script.receive("leader", 0, script.send(follower, 1, "leader"));
  }
  const auto groups = find_role_groups(history_of(script.info, script.events));
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].reason == "give several workers their tasks and continue when all results are back, 9 times");
}

TEST_CASE("prediction: in role order the next piece goes to a free worker, and the prediction is exact",
          "[prediction]") {
  double worst_role = 0, worst_arrival = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint32_t outstanding : {1u, 2u}) {
      ObviousSystem system = dispatcher_and_workers(seed, 8, 200, outstanding);
      const std::size_t processes = system.info.processes.size();
      const History history = traced(system, packed(processes, 1));
      Target target = traced_target(history);
      target.machine_of = packed(processes, 4);
      const double truth_s = simulate(system, target.machine_of).elapsed_ns * 1e-9;
      const Prediction role = predict(history, target, {.order = Order::role}).value();
      const Prediction arrival = predict(history, target, {.order = Order::arrival}).value();
      REQUIRE(std::abs(role.identity_error) < 1e-9);
      REQUIRE(role.roles.size() == 1);
      worst_role = std::max(worst_role, std::abs(role.elapsed_s / truth_s - 1));
      worst_arrival = std::max(worst_arrival, std::abs(arrival.elapsed_s / truth_s - 1));
    }
  }
  CHECK(worst_role < 1e-8);
  CHECK(worst_arrival > .02);  // what role order is for
}

TEST_CASE("prediction: role order on a dispatcher and two workers, by hand", "[prediction]") {
  // Traced: each worker on its own machine. w1 gets pieces of 10 and 20 ms, w2 one of 30 ms.
  EventScript script({"red", "green", "blue"});
  script.process("d", "red", "dispatcher");
  script.process("w1", "green", "worker");
  script.process("w2", "blue", "worker");
  const auto piece10 = script.send("d", 0, "w1");
  const auto piece30 = script.send("d", 0, "w2");
  script.receive("w1", 0, piece10);
  const auto done10 = script.send("w1", 10, "d");
  script.receive("d", 0, done10);
  const auto piece20 = script.send("d", 0, "w1");
  script.receive("w1", 0, piece20);
  const auto done20 = script.send("w1", 20, "d");
  script.receive("w2", 0, piece30);
  const auto done30 = script.send("w2", 30, "d");
  script.receive("d", 0, done30);
  const auto piece40 = script.send("d", 0, "w2");
  script.receive("w2", 0, piece40);
  script.receive("d", 0, done20);
  script.send("w2", 40, "d");
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  // The machine of w1 becomes slow: its 10 ms take 50. w2 is done at 30 and gets the 20 ms, then at 50, with w1, the 40
  // ms; w1 has nothing. (The tie at 50 goes to w1, the lower process: its 40 ms take 200.)
  target.machines[1].speed = .2;
  const Prediction role = predict(history, target, {.order = Order::role}).value();
  CHECK(role.elapsed_s == Approx(.250));
  // A little slower, and w2 is first.
  target.machines[1].speed = .19;
  CHECK(predict(history, target, {.order = Order::role}).value().elapsed_s == Approx(.090));
  // In arrival order each worker keeps the work it was given: w1 30 ms at .2.
  target.machines[1].speed = .2;
  CHECK(predict(history, target, {.order = Order::arrival}).value().elapsed_s == Approx(.150));
}

TEST_CASE("prediction: sensitivity says which of delays and CPU time matters", "[prediction]") {
  EventScript script({"red", "green"});
  script.process("A", "red");
  script.process("B", "green");
  script.info.delays = constant_delays(.0, .090);
  script.receive("B", 0, script.send("A", 10, "B"));
  const History history = history_of(script.info, script.events);
  const Prediction prediction = predict(history, traced_target(history), {.sensitivity = true}).value();
  REQUIRE(prediction.sensitivity.has_value());
  CHECK(prediction.sensitivity->delays_10_percent_longer == Approx(.09));
  CHECK(prediction.sensitivity->cpu_10_percent_slower == Approx(.01));
}

TEST_CASE("prediction: a receive whose message came from outside keeps its place among the others", "[prediction]") {
  // The server gets a request from a user outside, asks the disk twice, gets a second request between the answers.
  EventScript script({"red", "green"});
  script.process("server", "red");
  script.process("disk", "green");
  script.process("user", "green");
  script.info.processes[2].in_computation = false;
  const auto first = script.send("user", 0, "server");
  script.receive("server", 0, first);
  const auto ask = script.send("server", 1, "disk");
  script.receive("disk", 0, ask);
  const auto answer = script.send("disk", 10, "server");
  const auto second = script.send("user", 0, "server");
  script.receive("server", 2, second);
  const auto ask_again = script.send("server", 4, "disk");
  script.receive("server", 1, answer);
  script.receive("disk", 0, ask_again);
  script.send("server", 3, "user");
  script.end("disk", 10);
  const History history = history_of(script.info, script.events);
  const Prediction prediction = predict(history, traced_target(history)).value();
  // Server: 1, ask; 2, second request; 4, ask again at 7; 1; the disk answers at 11; 3 more. The disk is busy 1-11,
  // 11-21.
  CHECK(prediction.elapsed_s == Approx(.021));
  CHECK(prediction.identity_error == 0);
}

TEST_CASE("prediction: there is no clock error where a process waits for another outside", "[prediction]") {
  const auto error_of_server = [](bool all_in_computation, bool speaks_first) {
    EventScript script({"red", "green"});
    script.process("server", "red");
    script.process("user", "green");
    script.info.processes[1].in_computation = all_in_computation;
    if (speaks_first) script.send("server", 1, "user");
    script.receive("server", 1, script.send("user", 1, "server"));
    script.send("server", 1, "user");
    const History history = history_of(script.info, script.events);
    return predict(history, traced_target(history)).value().clock_error;
  };
  CHECK(error_of_server(true, true).has_value());
  CHECK(error_of_server(false, false).has_value());  // nothing came before the wait that is missing
  CHECK_FALSE(error_of_server(false, true).has_value());
}

TEST_CASE("prediction: contradictory options are refused", "[prediction]") {
  ObviousSystem system = selective_server(1, 3, 5, false);
  const History history = traced(system, random_placement(1, system.info));
  const Target target = traced_target(history);
  const auto no_roles = predict(history, target, {.order = Order::role});
  REQUIRE_FALSE(no_roles.has_value());
  CHECK(no_roles.error().what.find("no dispatcher") != std::string::npos);
  const auto thesis = predict(history, target, {.order = Order::arrival, .method = SharingMethod::thesis1984});
  REQUIRE_FALSE(thesis.has_value());
  CHECK(thesis.error().what.find("supports only the recorded order") != std::string::npos);
  const Prediction by_default = predict(history, target, {.method = SharingMethod::thesis1984}).value();
  CHECK(by_default.order == Order::recorded);
  CHECK(by_default.P == Approx(measure_parallelism(history, target, SharingMethod::thesis1984).value().delay_cpu.P));
}

TEST_CASE("prediction: a stuck process takes what it did not wait for, and the prediction reports it", "[prediction]") {
  // B waits for channel 3 first, then for channel 2. The trace has its messages' work the other way round, as for a
  // process that remembers: elsewhere C's message comes first, and after its segment B would wait for C only.
  EventScript script({"red", "green", "blue"});
  script.process("A", "red");
  script.process("B", "green");
  script.process("C", "blue");
  script.info.channels.push_back({ProcessId{1}, "from C"});
  script.info.channel_sets.push_back({ChannelId{3}});
  const auto a = script.send("A", 1, "B");
  const auto c = script.send("C", 5, "B", 10, ChannelId{3});
  const auto c2 = script.send("C", 1, "B", 10, ChannelId{3});
  script.receive_call("B", 0, 0);
  script.receive("B", 0, a);
  script.receive_call("B", 1, 0);
  script.receive("B", 0, c);
  script.receive_call("B", 1, 1);
  script.receive("B", 0, c2);
  script.receive_call("B", 1, 1);
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  CHECK(predict(history, target).value().warnings.empty());
  target.machines[0].speed = .01;  // A's message comes after C's, when B waits for C without end
  const Prediction prediction = predict(history, target).value();
  REQUIRE(prediction.warnings.size() == 1);
  CHECK(prediction.warnings[0].find("1 receives had to take a message they did not wait for") != std::string::npos);
  CHECK(prediction.elapsed_s == Approx(.101));
}

TEST_CASE("prediction: the interval does not reach beyond what is possible, however wrong the clocks are",
          "[prediction]") {
  // The clocks show four times what the replay does: the meter took it, and how much is not known.
  EventScript script({"red"});
  script.info.properties.metering_takes_time = true;
  script.info.delays = constant_delays(.001, .001);
  script.process("A", "red");
  script.process("B", "red");
  const auto there = script.send("A", 10, "B");
  script.at_ms("B", 21);
  script.receive("B", 10, there);
  script.at_ms("B", 41);
  const auto back = script.send("B", 10, "A");
  script.at_ms("A", 89);
  script.receive("A", 0, back);
  const History history = history_of(script.info, script.events);
  const Target target = traced_target(history);
  const Prediction blind = predict(history, target, {.order = Order::arrival}).value();
  CHECK(blind.clock_error.value() > 1);
  CHECK(blind.clock_error_has_meter);
  REQUIRE(blind.interval);
  CHECK(blind.interval->low_elapsed_s > 0);
  CHECK(blind.interval->low_elapsed_s < blind.elapsed_s / 4);  // wrong by more than a factor of two
  CHECK(blind.interval->high_P == Approx(1));                  // one core
  CHECK(blind.interval->low_P > 0);

  History as_it_ran = history;
  as_it_ran.events[as_it_ran.first_event[0] + 1].cpu_ns += 79'000'000;
  const Prediction knowing = predict(history, target, {.order = Order::arrival, .as_it_ran = &as_it_ran}).value();
  CHECK(knowing.clock_error.value() < .1);
  CHECK_FALSE(knowing.clock_error_has_meter);
}

TEST_CASE(
    "prediction: batches that were always full are open where the last request comes later than ever in the trace",
    "[prediction]") {
  EventScript script({"red", "green"});
  script.info.delays = constant_delays(.001, .001);
  script.process("log", "red", "log");
  for (const char* name : {"one", "other"}) script.process(name, "green", "writer");
  // The writers share a machine: one is ready after 10 ms, the other after 13.
  for (double now_ms = 0; now_ms < 6 * 35; now_ms += 35) {
    script.at_ms("one", now_ms + 10);
    const auto first = script.send("one", 5, "log");
    script.at_ms("other", now_ms + 13);
    const auto last = script.send("other", 8, "log");
    script.at_ms("log", now_ms + 11);
    script.receive("log", 0, first);
    script.at_ms("log", now_ms + 14);
    script.receive("log", 0, last);
    script.at_ms("log", now_ms + 34);
    const auto to_one = script.send("log", 20, "one"), to_other = script.send("log", 0, "other");
    for (const char* name : {"one", "other"}) script.at_ms(name, now_ms + 35);
    script.receive("one", 0, to_one);
    script.receive("other", 0, to_other);
  }
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  const auto width = [&] {
    const Interval interval = *predict(history, target).value().interval;
    return interval.high_elapsed_s / interval.low_elapsed_s - 1;
  };
  CHECK(width() < .001);
  target.machines[1].speed = 2;  // a shorter wait holds with any timer that the trace allows
  CHECK(width() < .001);
  target.machines[1].speed = .5;
  CHECK(width() > .1);
}

TEST_CASE("prediction: an answer that the trace ends before might have been the one that was waited for",
          "[prediction]") {
  EventScript script({"red", "green", "blue"});
  for (const auto& [name, machine] : {std::pair("searcher", "red"), {"A", "green"}, {"B", "blue"}, {"archive", "red"}})
    script.process(name, machine, name);
  for (int i = 0; i < 5; ++i) {
    const auto to_a = script.send("searcher", 0, "A"), to_b = script.send("searcher", 0, "B");
    script.receive("A", 0, to_a);
    script.receive("B", 0, to_b);
    script.receive_call("searcher", 0, 0);
    script.receive("searcher", 0, script.send("A", 8, "searcher"));
    script.receive("archive", 0, script.send("searcher", 1, "archive"));
    if (i == 4) break;
    script.receive_call("searcher", 0, 0);
    script.receive("searcher", 0, script.send("B", 9, "searcher"));
  }
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  target.machines[1].speed = .5;
  const auto prediction = predict(history, target, {});
  REQUIRE(prediction);
  REQUIRE(prediction->interval);
  CHECK(prediction->elapsed_s == Approx(.016 * 5 + .001));
  CHECK(prediction->interval->low_elapsed_s <= .016 * 4 + .009 + .001);
}

TEST_CASE("prediction: a timeout widens the interval, because the answer may come in time there", "[prediction]") {
  // Of eight calls four are answered after 10 ms, and four are given up then.
  const bool gives_up = GENERATE(false, true);
  EventScript script({"red", "green"});
  script.info.delays = constant_delays(.001, .001);
  script.process("client", "red", "client");
  script.process("server", "green", "server");
  script.info.channel_sets = {{}, {ChannelId{0}}};
  double now_ms = 0;
  for (int i = 0; i < 8; ++i) {
    const bool late = gives_up && i % 2 == 0;
    const double work_ms = late ? 9.5 : 8;
    now_ms += 1;
    script.at_ms("client", now_ms);
    const auto question = script.send("client", 1, "server");
    script.receive_call("client", 0, 1);
    script.at_ms("server", now_ms + 1);
    script.receive("server", 0, question);
    script.at_ms("server", now_ms + 1 + work_ms);
    const auto answer = script.send("server", work_ms, "client");
    now_ms += 10;
    script.at_ms("client", now_ms);
    if (!late) script.receive("client", 0, answer);
  }
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  target.machines[1].speed = .5;
  const Prediction prediction = predict(history, target).value();
  const double width = prediction.interval->high_elapsed_s / prediction.interval->low_elapsed_s - 1;
  CHECK(gives_up == (width > .05));
}

TEST_CASE("prediction: a call that was repeated because its answer was late is not repeated where that comes in time",
          "[prediction]") {
  // The server works 16 ms for the first call, 2 ms for the second; the client waits 10 ms.
  EventScript script({"red", "green"});
  script.process("client", "red", "client");
  script.process("server", "green", "server");
  script.info.channel_sets = {{}, {ChannelId{0}}};
  double now_ms = 0;
  for (int i = 0; i < 4; ++i) {
    script.at_ms("client", now_ms += 1);
    const auto call = script.send("client", 1, "server");
    script.receive_call("client", 0, 1);
    script.at_ms("client", now_ms += 10);
    const auto again = script.send("client", 0, "server");
    script.receive_call("client", 0, 1);
    script.receive("server", 0, call);
    script.send("server", 16, "client");  // too late
    script.receive("server", 0, again);
    const auto answer = script.send("server", 2, "client");
    script.at_ms("client", now_ms += 8);
    script.receive("client", 0, answer);
  }
  const History history = history_of(script.info, script.events);
  Target target = traced_target(history);
  CHECK(predict(history, target).value().elapsed_s == Approx(4 * .019));
  target.machines[1].speed = 4;
  const Prediction prediction = predict(history, target).value();
  CHECK(prediction.elapsed_s == Approx(4 * .005));
  CHECK(prediction.T_s == Approx(4 * .005));
}
