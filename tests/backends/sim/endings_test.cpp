// How runs end, that they are reproducible, and that they can be large.
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::testing;

namespace {

bool same_events(const Outcome& a, const Outcome& b) {
  return a.seen.events.size() == b.seen.events.size() &&
         std::memcmp(a.seen.events.data(), b.seen.events.data(), a.seen.events.size() * sizeof(Event)) == 0;
}

// Users ask a server that asks another one, with random service times.
System random_system(std::uint64_t seed) {
  System system;
  system.scenario.seed = seed;
  system.scenario.delays = DelayModel::demos_vax();
  system.machine("red").machine("blue", 1.5).machine("green", 1, {{123}, 40, {1000}});
  system.service("back", "blue", {}, [](MessageCalls& calls) {
    for (;;) {
      const Message request = calls.receive_message();
      calls.compute(Duration::from_seconds(calls.random().exponential(.002)));
      calls.reply(request, message_of(1, 500));
    }
  });
  system.service("front", "red", {"back"}, [](MessageCalls& calls) {
    for (;;) {
      const Message request = calls.receive_message();
      calls.compute(Duration::from_seconds(calls.random().exponential(.001)));
      if (calls.random().chance(.6)) calls.call(calls.link_to("back"), message_of(2, 60));
      calls.reply(request, message_of(3, 20));
    }
  });
  for (int i = 0; i < 5; ++i) {
    system.process("user" + std::to_string(i), i % 2 == 0 ? "green" : "blue", {"front"}, [](MessageCalls& calls) {
      for (int k = 0; k < 100; ++k) {
        calls.compute(Duration::from_seconds(calls.random().exponential(.005)));
        calls.call(calls.link_to("front"), message_of(4, 30));
      }
    });
  }
  return system;
}

}  // namespace

TEST_CASE("sim: the same seed gives the same bytes, another seed others", "[sim]") {
  const auto first = random_system(1).run();
  const auto again = random_system(1).run();
  const auto other = random_system(2).run();
  REQUIRE(first.error == "");
  CHECK(first.seen.events.size() > 4000);
  CHECK(same_events(first, again));
  CHECK(first.truth.makespan == again.truth.makespan);
  CHECK_FALSE(same_events(first, other));
}

TEST_CASE("sim: services finish what they have to do where the scenario says so", "[sim]") {
  for (const bool finish : {false, true}) {
    System system;
    system.scenario.services_finish = finish;
    system.machine("red").machine("blue");
    system.service("server", "blue", {}, [](MessageCalls& calls) {
      for (;;) {
        calls.receive_message();
        calls.compute(milliseconds(100));
      }
    });
    system.process("client", "red", {"server"}, [](MessageCalls& calls) {
      for (int i = 0; i < 3; ++i) calls.send_message(calls.link_to("server"), message_of(1));
    });
    const auto outcome = system.run();
    REQUIRE(outcome.error == "");
    CHECK(outcome.truth.ended_by == "every process ended");
    CHECK_FALSE(outcome.truth.deadlocked);
    CHECK((outcome.truth.total_cpu_ns >= 300'000'000) == finish);
  }
}

TEST_CASE("sim: metering does not change what happens when it costs nothing", "[sim]") {
  const System metered = random_system(3);
  System unmetered = random_system(3);
  for (auto& process : unmetered.scenario.processes) process.flags = {};
  const auto a = metered.run();
  const auto b = unmetered.run();
  CHECK(b.seen.events.empty());
  CHECK(a.truth.makespan == b.truth.makespan);
  CHECK(a.truth.total_cpu_ns == b.truth.total_cpu_ns);
  CHECK(a.truth.messages_delivered == b.truth.messages_delivered);
}

TEST_CASE("sim: simulations in several threads at once do not touch each other", "[sim]") {
  if (kUnderSanitizer) {
    std::puts(
        "SKIPPED: GCC 12's sanitizers keep their allocator locked in the child of a program with several threads");
    return;
  }
  const auto alone = random_system(5).run();
  std::vector<Outcome> outcomes(3);
  std::vector<std::thread> threads;
  for (auto& outcome : outcomes) threads.emplace_back([&outcome] { outcome = random_system(5).run(); });
  for (auto& thread : threads) thread.join();
  for (const auto& outcome : outcomes) CHECK(same_events(alone, outcome));
}

TEST_CASE("sim: the trace agrees with the truth about CPU times, messages and the end", "[sim]") {
  const auto outcome = random_system(4).run();
  REQUIRE(outcome.error == "");
  std::uint64_t cpu_ns = 0;
  for (const auto& process : outcome.seen.info.processes) {
    const auto ends = outcome.of(process.name, EventType::destroy_process);
    REQUIRE(ends.size() == 1);  // services end with the run
    CHECK(ends[0].proc_time_ns == outcome.truth_of(process.name).cpu_time_ns);
    cpu_ns += ends[0].proc_time_ns;
    CHECK(outcome.of(process.name, EventType::send).size() == outcome.truth_of(process.name).messages_sent);
    CHECK(outcome.of(process.name, EventType::receive).size() == outcome.truth_of(process.name).messages_received);
  }
  CHECK(cpu_ns == outcome.truth.total_cpu_ns);
  CHECK(outcome.truth.simulated_end >= outcome.truth.makespan);
  CHECK(outcome.truth.makespan == outcome.truth.makespan_all);
}

TEST_CASE("sim: processes outside the computation count neither for T nor for the makespan", "[sim]") {
  System system;
  system.machine("red").machine("blue");
  system.process("inside", "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(10)); });
  system.process("outside", "blue", {}, [](MessageCalls& calls) { calls.compute(milliseconds(30)); });
  system.scenario.processes[1].in_computation = false;
  const auto outcome = system.run();
  CHECK(outcome.truth.makespan.ns == 10'000'000);
  CHECK(outcome.truth.makespan_all.ns == 30'000'000);
  CHECK(outcome.truth.total_cpu_ns == 10'000'000);
}

TEST_CASE("sim: a deadlock report names each process and what it waits for", "[sim]") {
  const auto outcome =
      System()
          .machine("red")
          .machine("blue")
          .process("a", "red", {"b"}, [](MessageCalls& calls) { calls.call(calls.link_to("b"), message_of(1)); })
          .process("b", "blue", {},
                   [](MessageCalls& calls) {
                     calls.receive_message();
                     calls.receive_message();
                   })
          .service("idle", "blue", {}, [](MessageCalls& calls) { calls.receive_message(); })
          .run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth.deadlocked);
  CHECK(outcome.truth.ended_by == "deadlock");
  CHECK(outcome.truth.blocked ==
        std::vector<std::string>{"process 'a' on machine 'red' waits for the reply of 'b'",
                                 "process 'b' on machine 'blue' waits for a message from 'a'"});
  CHECK(outcome.truth.simulated_end.ns == 10'000'000);
  CHECK(outcome.of("b", EventType::receive).size() == 1);  // everything seen until then is delivered
}

TEST_CASE("sim: faults to come do not prolong a run in which nothing else can happen", "[sim]") {
  System system;
  system.scenario.faults.push_back({milliseconds(99'000), FaultKind::machine_off, "red", ""});
  const auto outcome =
      system.machine("red").process("a", "red", {}, [](MessageCalls& calls) { calls.receive_message(); }).run();
  CHECK(outcome.truth.deadlocked);
  CHECK(outcome.truth.simulated_end.ns == 0);
}

TEST_CASE("sim: an endless scenario ends at its limits and says who did what", "[sim]") {
  const auto ping_pong = [] {
    System system;
    system.machine("red");
    system.process("a", "red", {"b"}, [](MessageCalls& calls) {
      for (;;) calls.call(calls.link_to("b"), message_of(1));
    });
    system.process("b", "red", {}, [](MessageCalls& calls) {
      for (;;) calls.reply(calls.receive_message(), message_of(2));
    });
    return system;
  };
  System by_messages = ping_pong();
  by_messages.scenario.message_limit = 100;
  const auto stopped = by_messages.run();
  CHECK(stopped.error == "");
  CHECK(stopped.truth.ended_by == "the message limit of 100 messages");
  CHECK_FALSE(stopped.truth.deadlocked);
  CHECK(stopped.truth.at_limit);
  CHECK(stopped.truth.blocked.size() == 2);
  // The last one has arrived: the run ends where one more would be sent.
  CHECK(stopped.of("a", EventType::send).size() + stopped.of("b", EventType::send).size() == 100);
  CHECK(stopped.truth_of("a").messages_sent + stopped.truth_of("b").messages_sent == 100);
  CHECK(stopped.truth.messages_delivered == 100);

  System by_time = ping_pong();
  by_time.scenario.time_limit = milliseconds(1500);
  by_time.process("c", "red", {}, [](MessageCalls& calls) {
    for (;;) calls.compute(milliseconds(7));
  });
  const auto timed = by_time.run();
  CHECK(timed.truth.ended_by == "the time limit of 1.5 s");
  CHECK(timed.truth.at_limit);
  CHECK(timed.truth.simulated_end.ns == 1'500'000'000);
  CHECK(timed.truth.blocked.at(2) == "process 'c' on machine 'red' computes");
  CHECK(timed.truth_of("c").cpu_time_ns == 1'500'000'000);
}

TEST_CASE("sim: what the caller has printed and not yet flushed is not printed again by the child", "[sim]") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fputs("once", file);
  CHECK(System().machine("red").run().error == "");
  std::fflush(file);
  std::fseek(file, 0, SEEK_END);
  CHECK(std::ftell(file) == 4);
  std::fclose(file);
}

TEST_CASE("sim: an empty scenario is a run in which nothing is seen", "[sim]") {
  const auto outcome = System().machine("red").run();
  CHECK(outcome.error == "");
  CHECK(outcome.seen.events.empty());
  CHECK(outcome.seen.ends == 1);
  CHECK(outcome.truth.ended_by == "every process ended");
}

TEST_CASE("sim: a scenario that cannot run is refused before anything begins", "[sim]") {
  const auto refusal = [](auto&& spoil) {
    System system;
    system.machine("red").process("alpha", "red", {}, [](MessageCalls&) {});
    spoil(system.scenario);
    const auto outcome = system.run();
    CHECK(outcome.seen.begun_with == nullptr);
    CHECK(outcome.seen.ends == 0);
    return outcome.error;
  };
  CHECK(refusal([](Scenario& s) { s.processes[0].machine = "rde"; }) ==
        "scenario 'test': process 'alpha' wants machine 'rde', which is not declared (did you mean 'red'?)");
  CHECK(refusal([](Scenario& s) { s.processes[0].links = {"alhpa"}; }) ==
        "scenario 'test': process 'alpha' has a link to 'alhpa', which is not a process (did you mean 'alpha'?)");
  CHECK(refusal([](Scenario& s) { s.machines.clear(); }) == "scenario 'test': it has no machine");
  CHECK_THAT(refusal([](Scenario& s) { s.processes.push_back(s.processes[0]); }),
             Catch::Contains("process 'alpha' is declared twice"));
  CHECK_THAT(refusal([](Scenario& s) { s.processes[0].filter = "f"; }), Catch::Contains("wants filter 'f'"));
  CHECK_THAT(refusal([](Scenario& s) { s.machines[0].speed = 0; }), Catch::Contains("speed above 0"));
  CHECK_THAT(refusal([](Scenario& s) { s.machines[0].cores = 0; }), Catch::Contains("at least one core"));
  CHECK_THAT(refusal([](Scenario& s) {
               s.faults.push_back({{0}, FaultKind::link_down, "red", "blue"});
             }),
             Catch::Contains("a fault of a link wants machine 'blue'"));
  CHECK_THAT(refusal([](Scenario& s) { s.processes[0].program = nullptr; }), Catch::Contains("has no program"));
}

TEST_CASE("sim: ten thousand processes pass a token around", "[sim]") {
  const auto processes = static_cast<int>(fewer_if_sanitized(10'000, 200, "processes"));
  System system;
  for (int i = 0; i < 100; ++i) system.machine("m" + std::to_string(i));
  for (int i = 0; i < processes; ++i) {
    system.process("p" + std::to_string(i), "m" + std::to_string(i % 100), {"p" + std::to_string((i + 1) % processes)},
                   [i, next = "p" + std::to_string((i + 1) % processes)](MessageCalls& calls) {
                     if (i > 0) calls.receive_message();
                     calls.compute(milliseconds(1));
                     calls.send_message(calls.link_to(next), message_of(1));
                     if (i == 0) calls.receive_message();
                   });
  }
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth.makespan.ns == processes * std::int64_t{11'000'000});
  CHECK(outcome.truth.messages_delivered == static_cast<std::uint64_t>(processes));
  CHECK(outcome.seen.events.size() == processes * std::size_t{6});
}

TEST_CASE("sim: lines that programs print come in their order, and are not messages", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .process("late", "red", {},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(5));
                                      calls.print_line("second");
                                    })
                           .process("early", "red", {}, [](MessageCalls& calls) { calls.print_line("first"); })
                           .run();
  CHECK(outcome.error == "");
  CHECK(outcome.truth.printed == std::vector<PrintedLine>{{"early", "first"}, {"late", "second"}});
  CHECK(outcome.truth.messages_delivered == 0);
}

// ---- restarts

namespace {

// Answers what it is asked with a number that counts: how much it remembers.
void counts(MessageCalls& calls) {
  for (std::uint32_t count = 1;; ++count) {
    const Message question = calls.receive_message();
    calls.compute(milliseconds(1));
    calls.reply(question, message_of(count));
  }
}

// Asks every 10 ms, for at most 5 ms each; what was answered, 0 for nothing.
Program asks(std::size_t times, const std::vector<std::uint32_t>& expected) {
  return [=](MessageCalls& calls) {
    std::vector<std::uint32_t> answers;
    for (std::size_t i = 0; i < times; ++i) {
      const auto answer = calls.call_until(calls.deadline_in(milliseconds(5)), calls.link_to("server"), message_of(7));
      answers.push_back(answer ? answer->code : 0);
      calls.sleep(milliseconds(answer ? 7 : 5));
    }
    std::string text;
    for (const std::uint32_t answer : answers) text += std::to_string(answer) + " ";
    expect(answers == expected, "other answers than " + text);
  };
}

System asked(Program client) {
  System system;
  system.scenario.delays = constant_delays(.001, .001);
  system.machine("red").machine("blue");
  system.process("client", "red", {"server"}, std::move(client));
  system.service("server", "blue", {}, counts);
  return system;
}

}  // namespace

TEST_CASE("sim: a computation goes on at the new speed of its machine", "[sim]") {
  System system;
  system.machine("red").machine("blue");
  for (const char* name : {"one", "other"})  // each has half of red's CPU
    system.process(name, "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(100)); });
  system.process("apart", "blue", {}, [](MessageCalls& calls) { calls.compute(milliseconds(100)); });
  Fault slower{milliseconds(100), FaultKind::machine_speed, "red", ""};
  slower.speed = .5;
  Fault faster{milliseconds(200), FaultKind::machine_speed, "red", ""};
  faster.speed = 2;
  system.scenario.faults = {slower, faster};
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  // 100 ms of work by the first fault, 50 by the second, and 50 at twice the speed.
  for (const char* name : {"one", "other"}) {
    CHECK(outcome.truth_of(name).last_activity.ns == milliseconds(225).ns);
    CHECK(outcome.truth_of(name).cpu_time_ns == 112'500'000);
  }
  CHECK(outcome.truth_of("apart").last_activity.ns == milliseconds(100).ns);
}

TEST_CASE("sim: a process that a fault ends and restarts has forgotten everything", "[sim]") {
  System system = asked(asks(8, {1, 2, 0, 0, 0, 1, 2, 3}));
  Fault off{milliseconds(18), FaultKind::process_off, "", ""};
  off.process = "server";
  Fault on{milliseconds(48), FaultKind::process_on, "", ""};
  on.process = "server";
  system.scenario.faults = {off, on};
  const auto outcome = system.run();
  CHECK(outcome.error == "");
  CHECK(outcome.truth.ended_by == "every process ended");
  CHECK(outcome.truth.messages_dropped == 3);
  CHECK(outcome.of("server", EventType::start_process).size() == 2);
  CHECK(outcome.of("server", EventType::destroy_process).size() == 2);  // by the fault, and with the run
  CHECK(outcome.truth_of("server").cpu_time_ns == 5'000'000);           // of both lives
  CHECK(outcome.seen.losses.seen == outcome.seen.events.size() + outcome.seen.losses.lost());
}

TEST_CASE("sim: a machine that comes back restarts the processes that it lost, if it is to", "[sim]") {
  for (const bool restart : {false, true}) {
    INFO(restart);
    System system = asked(restart ? asks(6, {1, 2, 0, 0, 1, 2}) : asks(6, {1, 2, 0, 0, 0, 0}));
    Fault on{milliseconds(38), FaultKind::machine_on, "blue", ""};
    on.restart = restart;
    system.scenario.faults = {{milliseconds(18), FaultKind::machine_off, "blue", ""}, on};
    const auto outcome = system.run();
    CHECK(outcome.error == "");
    CHECK(outcome.truth.ended_by == "every process ended");
    CHECK(outcome.seen.losses.seen == outcome.seen.events.size() + outcome.seen.losses.lost());
  }
}

TEST_CASE("sim: a run waits for a process that will be restarted, and for no other", "[sim]") {
  const auto run = [](bool restarted) {
    System system;
    system.machine("red").process("worker", "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(20)); });
    Fault off{milliseconds(10), FaultKind::process_off, "", ""};
    off.process = "worker";
    Fault on = off;
    on.kind = FaultKind::process_on;
    on.at = milliseconds(50);
    system.scenario.faults = {off};
    if (restarted) system.scenario.faults.push_back(on);
    return system.run();
  };
  const auto restarted = run(true), gone = run(false);
  CHECK(restarted.truth.ended_by == "every process ended");
  CHECK(restarted.truth.simulated_end.ns == 70'000'000);
  CHECK(restarted.truth_of("worker").cpu_time_ns == 30'000'000);
  CHECK(gone.truth.ended_by == "every process ended");
  CHECK(gone.truth.simulated_end.ns == 10'000'000);
  CHECK(gone.truth_of("worker").final_state == "was ended by a fault");
}

TEST_CASE("sim: messages that wait for a restarted process are lost, and a reply to its earlier life is dropped",
          "[sim]") {
  System system;
  system.machine("red").machine("blue");
  system.process("caller", "red", {"server"}, [](MessageCalls& calls) {
    const Message answer = calls.call(calls.link_to("server"), message_of(1));
    expect(answer.code == 102, "the reply to the second call, not " + std::to_string(answer.code));
  });
  system.process("server", "blue", {}, [](MessageCalls& calls) {
    for (std::uint32_t i = 1; i <= 2; ++i) {
      const Message question = calls.receive_message();
      calls.sleep(milliseconds(50));
      calls.reply(question, message_of(100 + i));
    }
  });
  Fault off{milliseconds(20), FaultKind::process_off, "", ""};
  off.process = "caller";
  Fault on{milliseconds(30), FaultKind::process_on, "", ""};
  on.process = "caller";
  system.scenario.faults = {off, on};
  const auto outcome = system.run();
  CHECK(outcome.error == "");
  CHECK(outcome.truth.ended_by == "every process ended");
  CHECK(outcome.truth.messages_dropped == 1);
}
