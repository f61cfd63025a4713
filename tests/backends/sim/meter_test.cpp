// The meter: headers, clocks, buffering, meter paths, costs, and the books.
#include <map>

#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

// What a live reader would see: how many events had come by the time each batch came is not known here, but the order
// is.
System sender_and_receiver(int messages) {
  System system;
  system.machine("red").machine("blue");
  system.process("a", "red", {"b"}, [messages](MessageCalls& calls) {
    for (int i = 0; i < messages; ++i) {
      calls.compute(milliseconds(1));
      calls.send_message(calls.link_to("b"), message_of(1));
    }
  });
  system.process("b", "blue", {}, [messages](MessageCalls& calls) {
    for (int i = 0; i < messages; ++i) calls.receive_message();
  });
  return system;
}

bool in_order_per_process(const Collected& seen) {
  std::map<std::uint32_t, Event> last;
  for (const Event& event : seen.events) {
    const auto [entry, is_first] = last.try_emplace(event.process.value, event);
    const Event& before = entry->second;
    if (!is_first && event.proc_time_ns < before.proc_time_ns) return false;
    if (!is_first && event.machine == before.machine && event.local_time < before.local_time) return false;
    entry->second = event;
  }
  return true;
}

}  // namespace

TEST_CASE("sim: a clock has an offset, a drift and a tick of its own", "[sim]") {
  const auto times_with = [](ClockDescription clock) {
    const auto outcome = System()
                             .machine("red", 1, clock)
                             .process("a", "red", {},
                                      [](MessageCalls& calls) {
                                        calls.compute(Duration{1'000'000'123});
                                        calls.create_link();
                                        expect(calls.local_time().ns != 1, "it can read it");
                                      })
                             .run();
    REQUIRE(outcome.error == "");
    CHECK(outcome.of("a", EventType::create_path).at(0).proc_time_ns == 1'000'000'123);
    return std::pair(outcome.of("a", EventType::start_process).at(0).local_time.ns,
                     outcome.of("a", EventType::create_path).at(0).local_time.ns);
  };
  CHECK(times_with({}) == std::pair<std::int64_t, std::int64_t>(0, 1'000'000'123));
  CHECK(times_with({{5000}, 0, {1}}) == std::pair<std::int64_t, std::int64_t>(5000, 1'000'005'123));
  CHECK(times_with({{0}, 100, {1}}) == std::pair<std::int64_t, std::int64_t>(0, 1'000'100'123));
  CHECK(times_with({{0}, -100, {1}}) == std::pair<std::int64_t, std::int64_t>(0, 999'900'122));
  CHECK(times_with({{0}, 0, {10'000'000}}) == std::pair<std::int64_t, std::int64_t>(0, 1'000'000'000));
  CHECK(times_with({{-1}, 0, {10}}) == std::pair<std::int64_t, std::int64_t>(-10, 1'000'000'120));
}

TEST_CASE("sim: an event that hits a running process says how much CPU time it has used by then", "[sim]") {
  System system;
  system.machine("red", 2).machine("blue");
  for (const std::string name : {"b", "c"}) {
    system.process(name, "red", {}, [](MessageCalls& calls) {
      calls.compute(milliseconds(200));  // 100 ms of this machine
      calls.receive_message();
    });
  }
  system.process("a", "blue", {"b", "c"}, [](MessageCalls& calls) {
    calls.compute(milliseconds(30));
    calls.send_message(calls.link_to("b"), message_of(1));
    calls.compute(milliseconds(500));
    calls.send_message(calls.link_to("c"), message_of(1));
  });
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  const Event queued = outcome.of("b", EventType::message_queued).at(0);
  CHECK(queued.local_time.ns == 40'000'000);
  CHECK(queued.proc_time_ns == 20'000'000);  // it shares the CPU with c
  CHECK(queued.load == 2);
  CHECK(outcome.of("b", EventType::receive).at(0).proc_time_ns == 100'000'000);
  CHECK(outcome.of("c", EventType::message_queued).at(0).load == 0);
  CHECK(outcome.of("a", EventType::send).at(0).load == 1);
}

TEST_CASE("sim: calls made at different places have different pcs, those of a loop the same", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .process("a", "red", {},
                                    [](MessageCalls& calls) {
                                      for (int i = 0; i < 3; ++i) calls.create_link();
                                      calls.create_link();
                                      calls.compute(milliseconds(1));
                                    })
                           .run();
  const auto creates = outcome.of("a", EventType::create_path);
  REQUIRE(creates.size() == 4);
  CHECK(creates[0].pc == creates[1].pc);
  CHECK(creates[0].pc == creates[2].pc);
  CHECK(creates[0].pc != creates[3].pc);
}

TEST_CASE("sim: CPU time of messages is charged to the sender before the SEND and to the receiver before the RECEIVE",
          "[sim]") {
  System system = sender_and_receiver(1);
  system.scenario.delays.remote.sender_cpu_s = PiecewiseLinear::through({{1, .002}}).value();
  system.scenario.delays.remote.receiver_cpu_s = PiecewiseLinear::through({{1, .003}}).value();
  system.scenario.machines[1].speed = 3;
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.of("a", EventType::send).at(0).proc_time_ns == 3'000'000);
  CHECK(outcome.of("b", EventType::message_queued).at(0).local_time.ns == 13'000'000);
  CHECK(outcome.of("b", EventType::receive).at(0).local_time.ns == 14'000'000);
  CHECK(outcome.of("b", EventType::receive).at(0).proc_time_ns == 1'000'000);
  CHECK(outcome.truth_of("b").queue_area_ns == Approx(1e6));  // queued until it is received
}

TEST_CASE("sim: metering costs what the scenario says, and nothing for a process without flags", "[sim]") {
  System system = sender_and_receiver(10);
  system.scenario.meter.buffered_events = 5;
  system.scenario.meter.cpu_per_event = {1000};
  system.scenario.meter.cpu_per_meter_message = {100'000};
  system.scenario.processes[1].flags = {};
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth_of("b").cpu_time_ns == 0);
  // STARTPROCESS, ten SENDs and DESTROYPROCESS; two of the three meter messages fill up, the last is sent at its exit.
  CHECK(outcome.truth_of("a").cpu_time_ns == 10'000'000 + 12 * 1000 + 2 * 100'000);
  CHECK(outcome.of("b", EventType::receive).empty());
}

TEST_CASE("sim: only the events whose flags are set are seen", "[sim]") {
  System system = sender_and_receiver(3);
  system.scenario.processes[0].flags = apply_flags({}, "send").value();
  system.scenario.processes[1].flags = apply_flags({}, "receive,immediate").value();
  const auto outcome = system.run();
  CHECK(outcome.history_of("a") == "SEND SEND SEND");
  CHECK(outcome.history_of("b") == "RECEIVE RECEIVE RECEIVE");
  CHECK(outcome.seen.losses.seen == 6);
}

TEST_CASE("sim: buffered events come later than immediate ones, and all come", "[sim]") {
  const auto first_of_b = [](bool immediate) {
    System system = sender_and_receiver(20);
    for (auto& process : system.scenario.processes) process.flags.set_immediate(immediate);
    system.scenario.meter.buffered_events = 1000;
    const auto outcome = system.run();
    REQUIRE(outcome.error == "");
    CHECK(outcome.seen.events.size() == 2 * 2 + 20 + 3 * 20);
    CHECK(in_order_per_process(outcome.seen));
    for (std::size_t i = 0; i < outcome.seen.events.size(); ++i)
      if (outcome.seen.info[outcome.seen.events[i].process].name == "b") return i;
    return outcome.seen.events.size();
  };
  CHECK(first_of_b(true) == 1);    // its STARTPROCESS
  CHECK(first_of_b(false) == 22);  // a sends its buffer when it exits, and b does later
}

TEST_CASE("sim: meter messages take their time when the scenario says so, and stay in order", "[sim]") {
  System system = sender_and_receiver(50);
  system.scenario.filters = {{"near", "red"}, {"far", "blue"}};
  system.scenario.processes[1].filter = "far";
  system.scenario.meter.delayed_delivery = true;
  system.scenario.meter.buffered_events = 7;
  // A meter message of seven events takes 100 ms: most are still under way when the run ends.
  system.scenario.delays.local.delivery_s = PiecewiseLinear::through({{100, .010}, {448, .100}}).value();
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.seen.events.size() == outcome.seen.losses.seen);
  CHECK(outcome.seen.events.size() == 2 * 2 + 50 + 3 * 50);
  CHECK(in_order_per_process(outcome.seen));
  CHECK(outcome.seen.info.filters == std::vector<std::string>{"near", "far"});
  CHECK(outcome.seen.info.processes[0].filter == 0);
  CHECK(outcome.seen.info.processes[1].filter == 1);
  CHECK(outcome.seen.info.processes.size() == 2);  // filters are not part of what is seen
}

TEST_CASE("sim: a machine that fails takes its processes and its meter buffers with it, and the books say so",
          "[sim]") {
  System system = sender_and_receiver(100);
  system.scenario.filters = {{"filter", "blue"}};
  system.scenario.faults.push_back({milliseconds(30), FaultKind::machine_off, "red", ""});
  system.scenario.meter.buffered_events = 8;
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth_of("a").final_state == "was lost with machine 'red'");
  CHECK(outcome.truth_of("a").cpu_time_ns == 30'000'000);
  CHECK(outcome.truth.deadlocked);
  REQUIRE(outcome.truth.blocked.size() == 1);
  CHECK(outcome.truth.blocked[0] == "process 'b' on machine 'blue' waits for a message from 'a'");
  REQUIRE(outcome.seen.losses.losses.size() == 1);
  CHECK_THAT(outcome.seen.losses.losses[0].reason, Catch::Contains("machine 'red' failed"));
  // STARTPROCESS and the 29 SENDs before the failure are 30 events; three meter messages of eight had been sent.
  CHECK(outcome.seen.losses.losses[0].events == 6);
  CHECK(outcome.seen.losses.seen == outcome.seen.events.size() + outcome.seen.losses.lost());
}

TEST_CASE("sim: a machine can come back, with system processes that know nothing", "[sim]") {
  System system;
  system.scenario.programs.push_back({"worker", [](MessageCalls& calls) { calls.compute(milliseconds(1)); }, true});
  system.scenario.faults = {{milliseconds(10), FaultKind::machine_off, "red", ""},
                            {milliseconds(20), FaultKind::machine_on, "red", ""}};
  const auto outcome =
      system.machine("blue")
          .machine("red")
          .process("boss", "blue", {},
                   [](MessageCalls& calls) {
                     expect(create_process(calls, "w0", "worker", "blue").has_value(), "blue is on");
                     calls.compute(milliseconds(4));
                     const auto refused = create_process(calls, "w1", "worker", "red");
                     expect(!refused && refused.error().what == "machine 'red' is off", "red is off");
                     calls.compute(milliseconds(30));
                     expect(create_process(calls, "w2", "worker", "red").has_value(), "red is on again");
                     expect(start_process(calls, "w2").has_value(), "and runs it");
                     expect(start_process(calls, "w0").has_value(), "and blue w0");
                   })
          .run();
  CHECK(outcome.error == "");
  CHECK(outcome.truth.ended_by == "every process ended");
}

TEST_CASE("sim: one dropped message is one", "[sim]") {
  System system = sender_and_receiver(100);
  system.scenario.faults = {{Duration{20'500'000}, FaultKind::link_down, "blue", "red"},
                            {Duration{21'500'000}, FaultKind::link_up, "blue", "red"}};
  const auto outcome = system.run();
  CHECK(outcome.truth.messages_dropped == 1);
  REQUIRE(outcome.seen.losses.warnings.size() == 1);
  CHECK_THAT(outcome.seen.losses.warnings[0], Catch::StartsWith("1 message was dropped in transit"));
}

TEST_CASE("sim: messages over a link that is down are dropped, counted, and come again when it is up", "[sim]") {
  System system = sender_and_receiver(100);
  system.scenario.faults = {{Duration{20'500'000}, FaultKind::link_down, "blue", "red"},
                            {Duration{40'500'000}, FaultKind::link_up, "blue", "red"}};
  system.scenario.meter.buffered_events = 10;
  system.scenario.filters = {{"filter", "red"}};
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth.messages_delivered == 80);
  CHECK(outcome.truth.messages_dropped == 20);
  CHECK(outcome.truth.deadlocked);
  REQUIRE(outcome.seen.losses.warnings.size() == 1);
  CHECK_THAT(outcome.seen.losses.warnings[0],
             Catch::StartsWith("20 messages were dropped") && Catch::Contains("'red' and 'blue', which was down"));
  CHECK(outcome.seen.losses.lost() > 0);  // b's meter messages use the same link
  CHECK(outcome.seen.losses.seen == outcome.seen.events.size() + outcome.seen.losses.lost());
}

TEST_CASE("sim: a process that ends sends what its machine has buffered", "[sim]") {
  System system;
  system.scenario.meter.buffered_events = 1000;
  const auto outcome = system.machine("red")
                           .machine("blue")
                           .process("late", "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(20)); })
                           .process("early", "blue", {}, [](MessageCalls& calls) { calls.compute(milliseconds(10)); })
                           .run();
  REQUIRE(outcome.seen.events.size() == 4);
  CHECK(outcome.seen.info[outcome.seen.events[0].process].name == "early");
  CHECK(outcome.seen.info[outcome.seen.events[2].process].name == "late");
}

TEST_CASE("sim: a process that shares its machine is ready for as long as others compute", "[sim]") {
  // Alone until 1 s; then each gets half: the worker's second second takes two.
  const auto outcome = System()
                           .machine("red")
                           .process("hog", "red", {},
                                    [](MessageCalls& calls) {
                                      calls.sleep(Duration{1'000'000'000});
                                      calls.compute(Duration{3'000'000'000});
                                    })
                           .process("worker", "red", {},
                                    [](MessageCalls& calls) {
                                      calls.compute(Duration{1'000'000'000});
                                      calls.create_link();
                                      calls.compute(Duration{1'000'000'000});
                                      calls.create_link();
                                      calls.sleep(Duration{2'000'000'000});
                                    })
                           .run();
  REQUIRE(outcome.error == "");
  const auto created = outcome.of("worker", EventType::create_path);
  CHECK(created.at(0).ready_time_ns == 0);
  CHECK(created.at(1).ready_time_ns == 1'000'000'000);
  CHECK(created.at(1).disk_time_ns == 0);
  for (const auto& process : outcome.truth.processes) {
    CHECK(process.ready_time_ns == 1'000'000'000);
    CHECK(process.cpu_time_ns == (process.name == "hog" ? 3'000'000'000u : 2'000'000'000u));
  }
}
