// What every message system owes to a program that creates, suspends, moves and destroys others.
#include "tests/contract/message_calls/both_systems.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

void must(const Result<void>& result) { expect(result.has_value(), result ? "" : result.error().what); }

void must_refuse(const Result<void>& result, const std::string& why) {
  expect(!result && result.error().what == why, why + (result ? "" : ", not: " + result.error().what));
}

// `boss` may create, suspend, destroy and move `worker`, on another machine; each has a link to the other.
System boss_and_worker(Program boss, Program worker, bool created_later) {
  System system;
  system.machine("red").machine("blue");
  system.process("boss", "red", {"worker"}, std::move(boss)).process("worker", "blue", {"boss"}, std::move(worker));
  system.scenario.processes.back().created_later = created_later;
  return system;
}

}  // namespace

TEST_CASE("message calls: a created process runs from its start on, and finds what was sent to it before",
          "[contract]") {
  check_that_all_ends(boss_and_worker(
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("worker"), message_of(1));
        const auto created = create_process(calls, "worker", "", "");
        expect(created.has_value(), created ? "" : created.error().what);
        calls.send_message(*created, message_of(2));
        calls.sleep(milliseconds(30));
        expect(!calls.a_receive_message(), "it has not been started");
        must(start_process(calls, "worker"));
        expect(calls.receive_message().code == 3, "its answer");
      },
      [](MessageCalls& calls) {
        const Message wired = calls.receive_message();
        expect(wired.code == 1 && wired.over == calls.link_from("boss"), "what was sent before it was created");
        const Message first = calls.receive_message();
        expect(first.code == 2 && first.over != wired.over, "what its creator sent over its own link");
        calls.send_message(calls.link_to("boss"), message_of(3));
      },
      true));
}

TEST_CASE("message calls: a process that is never created is not waited for", "[contract]") {
  check_that_all_ends(boss_and_worker([](MessageCalls&) {}, [](MessageCalls&) { expect(false, "it runs"); }, true));
}

TEST_CASE("message calls: a suspended process does nothing until it is resumed", "[contract]") {
  check_that_all_ends(boss_and_worker(
      [](MessageCalls& calls) {
        const LinkIndex worker = calls.link_to("worker");
        must(stop_process(calls, "worker"));
        while (calls.a_receive_message()) {
        }
        calls.send_message(worker, message_of(1));
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(200))), "it is suspended");
        must(resume_process(calls, "worker"));
        expect(calls.receive_message_until(calls.deadline_in(milliseconds(20'000))).has_value(), "it goes on");
      },
      [](MessageCalls& calls) {
        expect(calls.receive_message().code == 1, "what was sent meanwhile");
        calls.send_message(calls.link_to("boss"), message_of(2));
      },
      false));
}

TEST_CASE("message calls: a process that computes can be suspended, and has computed as long in the end",
          "[contract]") {
  check_that_all_ends(boss_and_worker(
      [](MessageCalls& calls) {
        calls.receive_message();
        must(stop_process(calls, "worker"));
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(300))), "it does not go on");
        must(resume_process(calls, "worker"));
        calls.receive_message();
      },
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("boss"), message_of(1));
        calls.compute(milliseconds(100));
        calls.send_message(calls.link_to("boss"), message_of(2));
      },
      false));
}

TEST_CASE("message calls: the time for which a process is suspended counts for its sleep and its deadlines",
          "[contract]") {
  check_that_all_ends(boss_and_worker(
      [](MessageCalls& calls) {
        calls.receive_message();
        for (const std::uint32_t code : {3u, 4u}) {
          calls.sleep(milliseconds(100));  // until it sleeps, or waits
          must(stop_process(calls, "worker"));
          calls.sleep(milliseconds(1'000));
          must(resume_process(calls, "worker"));
          const auto awake = calls.receive_message_until(calls.deadline_in(milliseconds(400)));
          expect(awake && awake->code == code, "it goes on as soon as it is resumed");
        }
      },
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("boss"), message_of(2));
        calls.sleep(milliseconds(800));
        calls.send_message(calls.link_to("boss"), message_of(3));
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(800))), "nothing was sent to it");
        calls.send_message(calls.link_to("boss"), message_of(4));
      },
      false));
}

TEST_CASE("message calls: a destroyed process is gone, with what was sent to it", "[contract]") {
  const System system = boss_and_worker(
      [](MessageCalls& calls) {
        calls.receive_message();
        must(destroy_process(calls, "worker"));
        calls.send_message(calls.link_to("worker"), message_of(1));
        must_refuse(resume_process(calls, "worker"), "process 'worker' has ended");
        expect(!calls.call_until(calls.deadline_in(milliseconds(50)), calls.link_to("worker"), message_of(2)),
               "it does not answer");
      },
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("boss"), message_of(0));
        for (;;) calls.compute(milliseconds(10));
      },
      false);
  for (const Ran& ran : run_both(system)) {
    INFO(ran.where);
    CHECK(ran.error == "");
    CHECK(ran.ended_by == "every process ended");
    CHECK(ran.final_states == std::vector<std::string>{"ended", "was destroyed by 'boss'"});
  }
}

TEST_CASE("message calls: a suspended process can be destroyed", "[contract]") {
  check_that_all_ends(boss_and_worker(
      [](MessageCalls& calls) {
        must(stop_process(calls, "worker"));
        must(destroy_process(calls, "worker"));
      },
      [](MessageCalls& calls) { calls.receive_message(); }, false));
}

TEST_CASE("message calls: a process migrates with the messages that wait for it, and its links hold", "[contract]") {
  const System system = boss_and_worker(
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("worker"), message_of(1));
        must(migrate_process(calls, "worker", "red"));
        must_refuse(migrate_process(calls, "worker", "red"), "process 'worker' is on machine 'red' already");
        calls.send_message(calls.link_to("worker"), message_of(2));
        expect(calls.receive_message().code == 3, "its answer");
        calls.send_message(calls.link_to("worker"), message_of(4));
      },
      [](MessageCalls& calls) {
        expect(calls.receive_message().code == 1, "what was sent before");
        expect(calls.receive_message().code == 2, "what was sent after");
        calls.send_message(calls.link_to("boss"), message_of(3));
        calls.receive_message();
        calls.link_to("nobody");
      },
      false);
  for (const Ran& ran : run_both(system)) {
    INFO(ran.where);
    CHECK_THAT(ran.error, Catch::Contains("link_to: the scenario gives it no link to 'nobody'"));
    CHECK(ran.machines == std::vector<std::string>{"red", "red"});
  }
}

TEST_CASE("message calls: the process manager refuses what cannot be, with the same words", "[contract]") {
  System system = boss_and_worker(
      [](MessageCalls& calls) {
        must_refuse(stop_process(calls, "worker"), "process 'worker' has not been created");
        must_refuse(migrate_process(calls, "worker", "red"), "process 'worker' has not been created");
        must_refuse(stop_process(calls, "wroker"), "no process 'wroker' (did you mean 'worker'?)");
        must_refuse(resume_process(calls, "boss"), "process 'boss' is not stopped");
        expect(create_process(calls, "worker", "", "").has_value(), "it is created");
        must_refuse(create_and_start_process(calls, "worker"), "there is a process 'worker' already");
        must_refuse(stop_process(calls, "worker"), "process 'worker' has not been started");
        must_refuse(migrate_process(calls, "worker", "red"), "process 'worker' has not been started");
        must(start_process(calls, "worker"));
        must_refuse(start_process(calls, "worker"), "process 'worker' has been started already");
        must(stop_process(calls, "worker"));
        must_refuse(stop_process(calls, "worker"), "process 'worker' is stopped already");
        must_refuse(migrate_process(calls, "worker", "bleu"), "no machine 'bleu' (did you mean 'blue'?)");
        must(resume_process(calls, "worker"));
        must(set_meter_flags(calls, "worker", "-all"));
        must_refuse(set_meter_flags(calls, "worker", "snd"), "no meter flag 'snd' (did you mean 'send'?)");
        must(destroy_process(calls, "worker"));
        for (const auto& result : {start_process(calls, "worker"), destroy_process(calls, "worker")})
          must_refuse(result, "process 'worker' has ended");
      },
      [](MessageCalls& calls) { calls.receive_message(); }, true);
  check_that_all_ends(system);
}

TEST_CASE("message calls: a run in which all others wait for suspended and unstarted processes stands still",
          "[contract]") {
  System system = boss_and_worker(
      [](MessageCalls& calls) {
        expect(create_process(calls, "late", "", "").has_value(), "it is created");
        must(stop_process(calls, "worker"));
        calls.receive_message();
      },
      [](MessageCalls& calls) { calls.receive_message(); }, false);
  system.process("late", "blue", {}, [](MessageCalls&) {});
  system.scenario.processes.back().created_later = true;
  system.process("other", "blue", {}, [](MessageCalls&) {});
  system.scenario.processes.back().created_later = true;
  for (const Ran& ran : run_both(system)) {
    INFO(ran.where);
    CHECK(ran.error == "");
    CHECK(ran.ended_by == "deadlock");
    CHECK(ran.blocked == std::vector<std::string>{"process 'boss' on machine 'red' waits for a message from 'worker'",
                                                  "process 'worker' on machine 'blue' is stopped",
                                                  "process 'late' on machine 'blue' was created and never started"});
    CHECK(ran.final_states.back() == "was never created");
  }
}
