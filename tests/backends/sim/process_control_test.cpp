// The process manager: created in five steps, started, stopped, resumed, destroyed, migrated, metered differently.
#include <csignal>
#include <cstdlib>

#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

void must(const Result<void>& result) { expect(result.has_value(), result ? "" : result.error().what); }

System with_worker(Program worker) {
  System system;
  system.machine("red").machine("blue");
  system.scenario.programs.push_back({"worker", std::move(worker), true});
  return system;
}

std::vector<std::string> names_of(const TraceInfo& info) {
  std::vector<std::string> names;
  for (const auto& process : info.processes) names.push_back(process.name);
  return names;
}

}  // namespace

TEST_CASE("sim: a process is created, gets its first message and link, and is started", "[sim]") {
  System system = with_worker([](MessageCalls& calls) {
    const Message first = calls.receive_message();
    expect(first.code == 4, "the message sent before it was started");
    calls.compute(milliseconds(6));
    calls.send_message(*first.passed, message_of(5));
  });
  const auto outcome = system
                           .process("creator", "red", {},
                                    [](MessageCalls& calls) {
                                      const auto worker = create_process(calls, "worker 1", "worker", "blue");
                                      expect(worker.has_value(), "it was created");
                                      OutgoingMessage first = message_of(4);
                                      const LinkIndex answers = calls.create_link();
                                      first.pass = answers;
                                      calls.send_message(*worker, first);
                                      calls.compute(milliseconds(50));
                                      must(start_process(calls, "worker 1"));
                                      const std::vector<LinkIndex> over = {answers};
                                      expect(calls.receive_message(over).code == 5, "the worker's answer");
                                    })
                           .run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.history_of("worker 1") == "MESSAGEQUEUED STARTPROCESS RECEIVECALL RECEIVE SEND DESTROYPROCESS");
  // CREATEPROCESS lies between the request and the answer of the process manager.
  CHECK(outcome.history_of("creator").find(
            "STARTPROCESS SEND RECEIVECALL CREATEPROCESS MESSAGEQUEUED RECEIVE CREATEPATH SEND") == 0);
  const Event create = outcome.of("creator", EventType::create_process).at(0);
  const Event start = outcome.of("worker 1", EventType::start_process).at(0);
  CHECK(create.peer == start.process);
  CHECK(start.peer == create.process);
  CHECK(outcome.seen.info[start.machine].name == "blue");
  CHECK(outcome.seen.info[start.process].program == "worker");
  CHECK(outcome.seen.info[start.process].in_computation);
  // To the process manager and to the kernel on the other machine and back, four times, takes time.
  const auto answers = outcome.of("creator", EventType::receive);
  CHECK(answers[0].local_time.ns == 2'000'000 + 4 * 20'000'000);
  CHECK(outcome.truth.ended_by == "every process ended");
  CHECK(outcome.truth.total_cpu_ns == 56'000'000);
}

TEST_CASE("sim: the process manager refuses what cannot be, and says why", "[sim]") {
  System system = with_worker([](MessageCalls&) {});
  const auto outcome =
      system
          .process("a", "red", {},
                   [](MessageCalls& calls) {
                     const auto refused = [&](const auto& result, const std::string& why) {
                       expect(!result && result.error().what == why,
                              why + (result ? "" : ", not: " + result.error().what));
                     };
                     refused(create_process(calls, "w", "wroker", "blue"),
                             "no program 'wroker' that processes can be created with (did you mean 'worker'?)");
                     refused(create_process(calls, "w", "worker", "bleu"), "no machine 'bleu' (did you mean 'blue'?)");
                     refused(create_process(calls, "a", "worker", "blue"), "there is a process 'a' already");
                     refused(stop_process(calls, "nobody"), "no process 'nobody'");
                     expect(create_process(calls, "w", "worker", "blue").has_value(), "created");
                     refused(resume_process(calls, "w"), "process 'w' is not stopped");
                     refused(stop_process(calls, "w"), "process 'w' has not been started");
                     refused(migrate_process(calls, "w", "red"), "process 'w' has not been started");
                     must(start_process(calls, "w"));
                     refused(start_process(calls, "w"), "process 'w' has ended");
                     refused(migrate_process(calls, "a", "red"), "process 'a' is on machine 'red' already");
                     refused(set_meter_flags(calls, "a", "snd"), "no meter flag 'snd' (did you mean 'send'?)");
                     const Message answer = calls.call(calls.standard_link(StandardLink::kernel), message_of(8));
                     expect(answer.code == 1, "a kernel refuses other processes than the process manager");
                   })
          .run();
  CHECK(outcome.error == "");
}

TEST_CASE("sim: a stopped process uses no CPU time until it is resumed", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .machine("blue")
                           .process("worker", "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(100)); })
                           .process("boss", "blue", {},
                                    [](MessageCalls& calls) {
                                      must(stop_process(calls, "worker"));
                                      calls.compute(milliseconds(500));
                                      must(resume_process(calls, "worker"));
                                    })
                           .run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.history_of("worker") == "STARTPROCESS STOPPROCESS STARTPROCESS DESTROYPROCESS");
  const Event stop = outcome.of("worker", EventType::stop_process).at(0);
  const Event resume = outcome.of("worker", EventType::start_process).at(1);
  const Event end = outcome.of("worker", EventType::destroy_process).at(0);
  CHECK(outcome.seen.info[stop.peer].name == "boss");
  CHECK(stop.local_time.ns == 11'000'000);  // manager 10 ms away, kernel 1 ms further
  CHECK(stop.proc_time_ns == 11'000'000);
  CHECK(resume.proc_time_ns == 11'000'000);
  CHECK(resume.local_time.ns == 11'000'000 + 1'000'000 + 10'000'000 + 500'000'000 + 11'000'000);
  CHECK(end.proc_time_ns == 100'000'000);
  CHECK((end.local_time - resume.local_time).ns == 89'000'000);
}

TEST_CASE("sim: a destroyed process unwinds, and messages to it are dropped and counted", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .process("victim", "red", {},
                                    [](MessageCalls& calls) {
                                      try {
                                        calls.receive_message();
                                      } catch (const std::exception&) {
                                        std::abort();  // what ends a process is not a std::exception
                                      }
                                    })
                           .process("boss", "red", {"victim"},
                                    [](MessageCalls& calls) {
                                      must(destroy_process(calls, "victim"));
                                      calls.send_message(calls.link_to("victim"), message_of(1));
                                      calls.compute(milliseconds(10));
                                    })
                           .run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.truth_of("victim").final_state == "was destroyed by 'boss'");
  const Event destroyed = outcome.of("victim", EventType::destroy_process).at(0);
  CHECK(outcome.seen.info[destroyed.peer].name == "boss");
  CHECK(destroyed.code == 1);
  CHECK(outcome.truth.messages_dropped == 1);
  REQUIRE(outcome.seen.losses.warnings.size() == 1);
  CHECK_THAT(outcome.seen.losses.warnings[0], Catch::Contains("process 'victim', which was gone"));
}

TEST_CASE("sim: a process migrates while it computes and while it waits, and keeps its messages", "[sim]") {
  System system;
  system.scenario.move_data_message_bytes = 1000;
  const auto outcome = system.machine("red")
                           .machine("fast", 2)
                           .process("worker", "red", {"boss"},
                                    [](MessageCalls& calls) {
                                      calls.address_space().resize(2500);
                                      calls.compute(milliseconds(1000));
                                      expect(calls.receive_message().code == 3, "its message came after it");
                                      calls.send_message(calls.link_to("boss"), message_of(4));
                                    })
                           .process("boss", "red", {"worker"},
                                    [](MessageCalls& calls) {
                                      must(migrate_process(calls, "worker", "fast"));
                                      must(migrate_process(calls, "worker", "red"));
                                      calls.compute(milliseconds(5000));
                                      must(migrate_process(calls, "worker", "fast"));
                                      calls.send_message(calls.link_to("worker"), message_of(3));
                                      expect(calls.receive_message().code == 4, "its answer");
                                    })
                           .run();
  REQUIRE(outcome.error == "");
  const auto stops = outcome.of("worker", EventType::stop_process);
  const auto starts = outcome.of("worker", EventType::start_process);
  REQUIRE(stops.size() >= 2);
  REQUIRE(starts.size() == stops.size() + 1);
  CHECK(stops[0].flags == event_flags::kMigration);
  CHECK(starts[1].flags == event_flags::kMigration);
  CHECK(outcome.seen.info[stops[0].machine].name == "red");
  CHECK(outcome.seen.info[starts[1].machine].name == "fast");
  CHECK(outcome.seen.info[starts[2].machine].name == "red");
  // 3510 bytes of state in four messages that overlap on their way, 10 ms; the confirmation 10 ms; and 11 ms to thaw.
  CHECK((starts[1].local_time - stops[0].local_time).ns >= 20'000'000);
  CHECK(starts[1].proc_time_ns == stops[0].proc_time_ns);
  CHECK(outcome.truth.ended_by == "every process ended");
}

TEST_CASE("sim: work left when a process migrates takes half the time on a machine twice as fast", "[sim]") {
  const auto outcome =
      System()
          .machine("red")
          .machine("fast", 2)
          .machine("blue")
          .process("worker", "blue", {}, [](MessageCalls& calls) { calls.compute(milliseconds(1000)); })
          .process("boss", "red", {}, [](MessageCalls& calls) { must(migrate_process(calls, "worker", "fast")); })
          .run();
  REQUIRE(outcome.error == "");
  const Event stop = outcome.of("worker", EventType::stop_process).at(0);
  const Event start = outcome.of("worker", EventType::start_process).at(1);
  const Event end = outcome.of("worker", EventType::destroy_process).at(0);
  CHECK(stop.proc_time_ns == 11'000'000);
  CHECK((end.local_time - start.local_time).ns == (1'000'000'000 - 11'000'000) / 2);
  CHECK(end.proc_time_ns == 11'000'000 + (1'000'000'000 - 11'000'000) / 2);
  CHECK(outcome.truth_of("worker").machine == "fast");
  // Each machine has the CPU time that was used on it.
  REQUIRE(outcome.truth.machines.size() == 3);
  CHECK(outcome.truth.machines[1].cpu_time_ns == (1'000'000'000 - 11'000'000) / 2);
  CHECK(outcome.truth.machines[2].cpu_time_ns == 11'000'000);
}

TEST_CASE("sim: flags change while a process runs, and created processes inherit them", "[sim]") {
  System system = with_worker([](MessageCalls& calls) { calls.compute(milliseconds(1)); });
  system.process("a", "red", {}, [](MessageCalls& calls) {
    calls.create_link();
    must(set_meter_flags(calls, "a", "-all,createpath,createprocess,destroyprocess"));
    calls.create_link();
    expect(create_process(calls, "w", "worker", "red").has_value(), "created");
    must(start_process(calls, "w"));
    must(set_meter_flags(calls, "a", "-all"));
    calls.create_link();
  });
  const auto outcome = system.run();
  REQUIRE(outcome.error == "");
  CHECK(outcome.history_of("a") == "STARTPROCESS CREATEPATH SEND RECEIVECALL CREATEPATH CREATEPROCESS");
  CHECK(outcome.history_of("w") == "DESTROYPROCESS");
  CHECK(names_of(outcome.seen.info) == std::vector<std::string>{"a", "process manager", "w"});
}

TEST_CASE("sim: an exception in a program ends the run with an error that names the process", "[sim]") {
  const auto thrown = System()
                          .machine("red")
                          .process("good", "red", {}, [](MessageCalls& calls) { calls.compute(milliseconds(100)); })
                          .process("bad", "red", {},
                                   [](MessageCalls& calls) {
                                     calls.create_link();
                                     throw std::runtime_error("out of luck");
                                   })
                          .run();
  CHECK(thrown.error == "process 'bad' ended with an exception: out of luck");
  CHECK(thrown.seen.ends == 1);
  CHECK(thrown.history_of("bad") == "STARTPROCESS CREATEPATH");  // what was seen until then is delivered

  const auto odd = System().machine("red").process("bad", "red", {}, [](MessageCalls&) { throw 42; }).run();
  CHECK_THAT(odd.error, Catch::Contains("process 'bad' ended with an exception that is not a std::exception"));
}

TEST_CASE("sim: a program that crashes is an error that names it, and the next run is not touched", "[sim]") {
  const auto crashed = System()
                           .machine("red")
                           .process("good", "red", {}, [](MessageCalls& calls) { calls.receive_message(); })
                           .process("bad", "red", {}, [](MessageCalls&) { std::_Exit(3); })
                           .run();
  CHECK_THAT(crashed.error, Catch::Contains("ended with status 3 while process 'bad' was running"));
  CHECK(crashed.seen.ends == 1);

  const auto killed =
      System().machine("red").process("bad", "red", {}, [](MessageCalls&) { std::raise(SIGKILL); }).run();
  CHECK_THAT(killed.error, Catch::Contains("was ended by signal 'Killed' while process 'bad' was running"));

  const auto after = System().machine("red").process("good", "red", {}, [](MessageCalls&) {}).run();
  CHECK(after.error.empty());
}

TEST_CASE("sim: a program may call in a catch block while others throw", "[sim]") {
  System system;
  system.machine("red");
  for (int i = 0; i < 4; ++i) {
    system.process("p" + std::to_string(i), "red", {}, [i](MessageCalls& calls) {
      for (int k = 0; k < 10; ++k) {
        try {
          throw i * 100 + k;
        } catch (int) {
          calls.compute(milliseconds(1 + i));
          try {
            throw;
          } catch (int value) {
            expect(value == i * 100 + k, "its own exception");
          }
        }
      }
    });
  }
  CHECK(system.run().error == "");
}
