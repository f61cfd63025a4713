// Links: created, duplicated, passed, destroyed, misused; data areas and MOVEDATA; the switchboard.
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

// Two processes on two machines; `a` has a link to `b`.
Outcome run_pair(Program a, Program b) {
  return System()
      .machine("red")
      .machine("blue")
      .process("a", "red", {"b"}, std::move(a))
      .process("b", "blue", {}, std::move(b))
      .run();
}

// `a` gives `b` a link with a data area over its first ten bytes.
OutgoingMessage with_area(MessageCalls& calls, bool read, bool write) {
  OutgoingMessage message;
  message.pass = calls.create_link(DataArea{0, 10, read, write});
  return message;
}

}  // namespace

TEST_CASE("sim: a link passed in a message leads to the process that created it", "[sim]") {
  const auto outcome = run_pair(
      [](MessageCalls& calls) {
        const LinkIndex mine = calls.create_link();
        OutgoingMessage message;
        message.pass = mine;
        calls.send_message(calls.link_to("b"), message);
        const Message back = calls.receive_message();
        expect(back.over == mine, "it came over the link that was passed");
        expect(back.code == 5, "code 5");
      },
      [](MessageCalls& calls) {
        const Message message = calls.receive_message();
        expect(message.passed.has_value(), "a link came with it");
        calls.send_message(*message.passed, message_of(5));
      });
  REQUIRE(outcome.error.empty());
  const Event create = outcome.of("a", EventType::create_path).at(0);
  const Event send = outcome.of("a", EventType::send).at(0);
  const Event back = outcome.of("b", EventType::send).at(0);
  CHECK(create.peer == create.process);
  CHECK(send.passed_channel == create.channel);
  CHECK(outcome.of("b", EventType::receive).at(0).passed_channel == create.channel);
  CHECK(back.channel == create.channel);
  CHECK(outcome.seen.info[create.channel].owner == create.process);
}

TEST_CASE("sim: duplicates share a channel and are destroyed one by one", "[sim]") {
  const auto outcome = run_pair(
      [](MessageCalls& calls) {
        const LinkIndex copy = calls.duplicate_link(calls.link_to("b"));
        calls.destroy_link(calls.link_to("b"));
        calls.send_message(copy, message_of(1));
        calls.destroy_link(copy);
      },
      [](MessageCalls& calls) { expect(calls.receive_message().code == 1, "it came over the copy"); });
  REQUIRE(outcome.error.empty());
  CHECK(outcome.history_of("a") == "STARTPROCESS CREATEPATH DESTROYPATH SEND DESTROYPATH DESTROYPROCESS");
  const auto destroyed = outcome.of("a", EventType::destroy_path);
  CHECK(destroyed[0].channel == destroyed[1].channel);
  CHECK(outcome.seen.info[destroyed[0].peer].name == "b");
}

TEST_CASE("sim: misuse of links fails the run and names process and call", "[sim]") {
  const auto idle = [](MessageCalls&) {};
  const auto error_of = [&](Program program) { return run_pair(std::move(program), idle).error; };

  CHECK_THAT(error_of([](MessageCalls& calls) { calls.send_message(LinkIndex{77}, {}); }),
             Catch::Contains("process 'a' on machine 'red', send_message: index 77 of its link table holds no link"));
  CHECK_THAT(error_of([](MessageCalls& calls) { calls.send_message(LinkIndex{}, {}); }),
             Catch::Contains("send_message: no link was given"));
  CHECK_THAT(error_of([](MessageCalls& calls) {
               const LinkIndex link = calls.create_link();
               calls.destroy_link(link);
               calls.create_link();  // takes the free place, but not the old index
               calls.send_message(link, {});
             }),
             Catch::Contains("holds no link"));
  CHECK_THAT(error_of([](MessageCalls& calls) {
               const std::vector<LinkIndex> over = {calls.link_to("b")};
               calls.receive_message(over);
             }),
             Catch::Contains("receive_message: link") && Catch::Contains("leads to process 'b'"));
  CHECK_THAT(error_of([](MessageCalls& calls) { calls.link_to("c"); }),
             Catch::Contains("process 'a', link_to: the scenario gives it no link to 'c'"));
  CHECK_THAT(error_of([](MessageCalls& calls) { calls.link_from("b"); }), Catch::Contains("link_from"));
  CHECK_THAT(error_of([](MessageCalls& calls) { calls.reply(Message{}, {}); }),
             Catch::Contains("reply: the message was not sent with CALL"));
  CHECK_THAT(error_of([](MessageCalls& calls) { calls.compute(Duration{-1}); }),
             Catch::Contains("compute: a negative time"));
  CHECK_THAT(error_of([](MessageCalls& calls) {
               calls.create_link(DataArea{0, 1, true, true});
             }),
             Catch::Contains("create_link: the data area"));
  CHECK_THAT(error_of([](MessageCalls& calls) {
               while (!calls.a_receive_message()) continue;
             }),
             Catch::Contains("a_receive_message") && Catch::Contains("time stands still"));
}

TEST_CASE("sim: a reply link is good for one answer, by any process that holds it", "[sim]") {
  const auto twice = run_pair([](MessageCalls& calls) { calls.call(calls.link_to("b"), {}); },
                              [](MessageCalls& calls) {
                                const Message request = calls.receive_message();
                                calls.reply(request, {});
                                calls.reply(request, {});
                              });
  CHECK_THAT(twice.error, Catch::Contains("process 'b'") && Catch::Contains("has been used already"));

  const auto forwarded =
      System()
          .machine("red")
          .process("a", "red", {"b"},
                   [](MessageCalls& calls) { expect(calls.call(calls.link_to("b"), {}).code == 9, "c answers"); })
          .process("b", "red", {"c"},
                   [](MessageCalls& calls) {
                     const Message request = calls.receive_message();
                     OutgoingMessage forward;
                     forward.pass = request.reply_to;
                     calls.send_message(calls.link_to("c"), forward);
                   })
          .process("c", "red", {},
                   [](MessageCalls& calls) { calls.send_message(*calls.receive_message().passed, message_of(9)); })
          .run();
  CHECK(forwarded.error.empty());
  CHECK(forwarded.truth.ended_by == "every process ended");
}

TEST_CASE("sim: MOVEDATA to another process copies bytes in messages of the kernel", "[sim]") {
  System system;
  system.scenario.move_data_message_bytes = 4;
  const auto outcome = system.machine("red")
                           .machine("blue")
                           .process("a", "red", {"b"},
                                    [](MessageCalls& calls) {
                                      const Message offer = calls.receive_message();
                                      calls.address_space() = bytes_of("0123456789");
                                      const LinkIndex mine = calls.create_link(DataArea{0, 10, true, false});
                                      calls.move_data(mine, *offer.passed, 10);
                                      calls.address_space() = bytes_of("xxxxxxxxxx");  // too late to be seen
                                      calls.send_message(calls.link_to("b"), message_of(1));
                                    })
                           .process("b", "blue", {"a"},
                                    [](MessageCalls& calls) {
                                      calls.address_space() = bytes_of("..............");
                                      OutgoingMessage offer;
                                      offer.pass = calls.create_link(DataArea{2, 10, false, true});
                                      calls.send_message(calls.link_to("a"), offer);
                                      calls.receive_message();  // never overtakes the data
                                      expect(text_of(calls.address_space()) == "..0123456789..", "the bytes are there");
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  const auto sends = outcome.of("a", EventType::send);
  REQUIRE(sends.size() == 4);
  for (int i = 0; i < 3; ++i) {
    CHECK((sends[i].flags & event_flags::kKernelMessage) != 0);
    CHECK(outcome.seen.info[sends[i].peer].name == "b");
    CHECK(sends[i].length_bytes == (i < 2 ? 4u : 2u));
  }
  CHECK(sends[3].flags == 0);
  CHECK(outcome.of("b", EventType::receive).size() == 1);
}

TEST_CASE("sim: MOVEDATA from another process waits for the last byte", "[sim]") {
  const auto outcome = run_pair(
      [](MessageCalls& calls) {
        calls.address_space() = bytes_of("0123456789");
        calls.send_message(calls.link_to("b"), with_area(calls, true, false));
        calls.compute(milliseconds(100));
      },
      [](MessageCalls& calls) {
        const Message offer = calls.receive_message();
        calls.address_space() = bytes_of("..........");
        calls.move_data(*offer.passed, calls.create_link(DataArea{0, 10, false, true}), 5);
        expect(text_of(calls.address_space()) == "01234.....", "the bytes are there");
        expect(calls.local_time().ns == 30'000'000, "message, request and data took 10 ms each");
      });
  REQUIRE(outcome.error.empty());
  const auto sends = outcome.of("a", EventType::send);  // the data is the source's message
  REQUIRE(sends.size() == 2);
  CHECK(sends[1].flags == event_flags::kKernelMessage);
  CHECK(sends[1].proc_time_ns == 20'000'000);  // while it computes
  CHECK(sends[1].length_bytes == 5);
}

TEST_CASE("sim: MOVEDATA respects the rights and the size of areas", "[sim]") {
  const auto error_of = [](bool read, bool write, bool push, std::uint64_t bytes) {
    return run_pair(
               [=](MessageCalls& calls) {
                 calls.address_space().resize(10);
                 calls.send_message(calls.link_to("b"), with_area(calls, read, write));
               },
               [=](MessageCalls& calls) {
                 calls.address_space().resize(100);
                 const LinkIndex mine = calls.create_link(DataArea{0, 100, true, true});
                 const LinkIndex other = *calls.receive_message().passed;
                 push ? calls.move_data(mine, other, bytes) : calls.move_data(other, mine, bytes);
               })
        .error;
  };
  CHECK_THAT(error_of(true, false, true, 5), Catch::Contains("process 'b'") && Catch::Contains("no right to write"));
  CHECK_THAT(error_of(false, true, false, 5), Catch::Contains("no right to read"));
  CHECK_THAT(error_of(true, true, true, 11), Catch::Contains("11 bytes do not fit the data area of 10 bytes"));
  CHECK(error_of(true, true, true, 10).empty());
}

TEST_CASE("sim: the switchboard passes a link on, also to a process that asks before it is offered", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .machine("blue")
                           .process("early", "blue", {},
                                    [](MessageCalls& calls) {
                                      const auto link = ask_for_link(calls, "printer");
                                      expect(link.has_value(), "it got a link");
                                      calls.send_message(*link, message_of(1));
                                    })
                           .process("printer", "red", {},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(100));
                                      expect(offer_link(calls, "printer", calls.create_link()).has_value(), "offered");
                                      expect(!offer_link(calls, "printer", calls.create_link()), "not twice");
                                      calls.receive_message();
                                      calls.receive_message();
                                    })
                           .process("late", "blue", {},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(300));
                                      calls.send_message(ask_for_link(calls, "printer").value(), message_of(2));
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  CHECK(outcome.truth.ended_by == "every process ended");
  bool listed = false;
  for (const auto& process : outcome.seen.info.processes)
    if (process.name == "switchboard") listed = !process.in_computation;
  CHECK(listed);
}

TEST_CASE("sim: system processes that get no message and links that carry none appear nowhere", "[sim]") {
  const auto outcome = run_pair([](MessageCalls&) {}, [](MessageCalls&) {});
  CHECK(outcome.seen.info.processes.size() == 2);
  CHECK(outcome.seen.info.channels.empty());
}
