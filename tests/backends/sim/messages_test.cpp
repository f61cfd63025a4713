// Sending, receiving, calling: what arrives, in which order, and what the meter says about it.
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

TEST_CASE("sim: a message arrives after the delay of its class and is metered at both ends", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .machine("blue")
                           .process("a", "red", {"b"},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(5));
                                      calls.send_message(calls.link_to("b"), message_of(7, 100));
                                    })
                           .process("b", "blue", {},
                                    [](MessageCalls& calls) {
                                      const Message message = calls.receive_message();
                                      expect(message.code == 7, "code 7");
                                      expect(message.length_bytes == 100, "100 bytes");
                                      expect(message.over == calls.link_from("a"), "it came over a's link");
                                      calls.compute(milliseconds(2));
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  CHECK(outcome.history_of("a") == "STARTPROCESS SEND DESTROYPROCESS");
  CHECK(outcome.history_of("b") == "STARTPROCESS RECEIVECALL MESSAGEQUEUED RECEIVE DESTROYPROCESS");

  const Event send = outcome.of("a", EventType::send).at(0);
  const Event queued = outcome.of("b", EventType::message_queued).at(0);
  const Event receive = outcome.of("b", EventType::receive).at(0);
  CHECK(send.local_time.ns == 5'000'000);
  CHECK(send.proc_time_ns == 5'000'000);
  CHECK(queued.local_time.ns == 15'000'000);
  CHECK(receive.local_time.ns == 15'000'000);
  CHECK(receive.proc_time_ns == 0);
  CHECK(send.sequence == receive.sequence);
  CHECK(send.channel == receive.channel);
  CHECK(outcome.seen.info[send.channel].name == "a->b");
  CHECK(receive.peer == send.process);
  CHECK(send.peer == receive.process);
  CHECK(receive.length_bytes == 100);
  CHECK(receive.code == 7);

  CHECK(outcome.truth.ended_by == "every process ended");
  CHECK(outcome.truth.makespan.ns == 17'000'000);
  CHECK(outcome.truth.total_cpu_ns == 7'000'000);
  CHECK(outcome.truth.messages_delivered == 1);
  CHECK(outcome.seen.losses.seen == outcome.seen.events.size());
  CHECK(outcome.seen.ends == 1);
  CHECK(outcome.seen.named_before_used);
}

TEST_CASE("sim: three jobs of 1, 2 and 3 s on one machine end after 3, 5 and 6 s", "[sim]") {
  System system;
  system.machine("red");
  for (int i = 1; i <= 3; ++i)
    system.process("job" + std::to_string(i), "red", {},
                   [i](MessageCalls& calls) { calls.compute(milliseconds(1000 * i)); });
  const auto outcome = system.run();
  REQUIRE(outcome.error.empty());
  CHECK(outcome.truth_of("job1").last_activity.ns == 3'000'000'000);
  CHECK(outcome.truth_of("job2").last_activity.ns == 5'000'000'000);
  CHECK(outcome.truth_of("job3").last_activity.ns == 6'000'000'000);
  CHECK(outcome.truth.total_cpu_ns == 6'000'000'000);
  CHECK(outcome.truth.parallelism() == Approx(1.0));
}

TEST_CASE("sim: two sends in a row arrive in order, and a short message never overtakes a long one", "[sim]") {
  System system;
  system.scenario.delays.remote.delivery_s = PiecewiseLinear::through({{1, .001}, {1000, .100}}).value();
  const auto outcome = system.machine("red")
                           .machine("blue")
                           .process("a", "red", {"b"},
                                    [](MessageCalls& calls) {
                                      const LinkIndex b = calls.link_to("b");
                                      for (std::uint32_t i = 0; i < 20; ++i) calls.send_message(b, message_of(i, 1));
                                      calls.send_message(b, message_of(20, 1000));
                                      calls.send_message(b, message_of(21, 1));
                                    })
                           .process("b", "blue", {},
                                    [](MessageCalls& calls) {
                                      for (std::uint32_t i = 0; i < 22; ++i)
                                        expect(calls.receive_message().code == i, "message " + std::to_string(i));
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  const auto queued = outcome.of("b", EventType::message_queued);
  REQUIRE(queued.size() == 22);
  CHECK(queued[19].local_time.ns == 1'000'000);
  CHECK(queued[20].local_time.ns == 100'000'000);
  CHECK(queued[21].local_time.ns == 100'000'000);
}

TEST_CASE("sim: ties are taken in the order of the senders in the scenario, not of sending", "[sim]") {
  // c sends at 0 with a delay of 10 ms, a at 9 ms with a delay of 1 ms: both arrive at 10 ms, and a comes first.
  const auto outcome = System()
                           .machine("red")
                           .machine("blue")
                           .process("a", "red", {"b"},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(9));
                                      calls.send_message(calls.link_to("b"), message_of(1));
                                    })
                           .process("b", "red", {},
                                    [](MessageCalls& calls) {
                                      expect(calls.receive_message().code == 1, "a first");
                                      expect(calls.receive_message().code == 3, "c second");
                                    })
                           .process("c", "blue", {"b"},
                                    [](MessageCalls& calls) { calls.send_message(calls.link_to("b"), message_of(3)); })
                           .run();
  CHECK(outcome.error.empty());
}

TEST_CASE("sim: a selective receive takes the earliest message over the links it names", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .process("a", "red", {"c"},
                                    [](MessageCalls& calls) { calls.send_message(calls.link_to("c"), message_of(1)); })
                           .process("b", "red", {"c"},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(1));
                                      calls.send_message(calls.link_to("c"), message_of(2));
                                      calls.send_message(calls.link_to("c"), message_of(3));
                                    })
                           .process("c", "red", {},
                                    [](MessageCalls& calls) {
                                      const std::vector<LinkIndex> from_b = {calls.link_from("b")};
                                      expect(calls.receive_message(from_b).code == 2, "2 first");
                                      expect(calls.receive_message(from_b).code == 3, "then 3");
                                      expect(calls.receive_message().code == 1, "then what was left");
                                      expect(!calls.a_receive_message(), "nothing more");
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  const auto calls = outcome.of("c", EventType::receive_call);
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].code != 0);
  CHECK(calls[0].code == calls[1].code);
  CHECK(calls[2].code == 0);
  const auto& set = outcome.seen.info.channel_sets.at(calls[0].code);
  REQUIRE(set.size() == 1);
  CHECK(outcome.seen.info[set[0]].name == "b->c");
  CHECK(outcome.truth_of("c").queue_max == 3);
}

TEST_CASE("sim: CALL sends with a reply link and waits for the answer over it", "[sim]") {
  const auto outcome = System()
                           .machine("red")
                           .service("server", "red", {},
                                    [](MessageCalls& calls) {
                                      for (;;) {
                                        const Message request = calls.receive_message();
                                        calls.compute(milliseconds(3));
                                        OutgoingMessage answer = message_of(request.code + 1);
                                        answer.data = request.data;
                                        calls.reply(request, answer);
                                      }
                                    })
                           .process("client", "red", {"server"},
                                    [](MessageCalls& calls) {
                                      for (std::uint32_t i = 0; i < 3; ++i) {
                                        OutgoingMessage question = message_of(i);
                                        question.data = bytes_of("question");
                                        const Message answer = calls.call(calls.link_to("server"), question);
                                        expect(answer.code == i + 1, "the answer to this question");
                                        expect(text_of(answer.data) == "question", "its data");
                                        expect(!answer.reply_to, "no reply to a reply");
                                      }
                                    })
                           .run();
  REQUIRE(outcome.error.empty());
  CHECK(outcome.history_of("client") ==
        "STARTPROCESS SEND RECEIVECALL MESSAGEQUEUED RECEIVE SEND RECEIVECALL MESSAGEQUEUED RECEIVE "
        "SEND RECEIVECALL MESSAGEQUEUED RECEIVE DESTROYPROCESS");
  const auto replies = outcome.of("client", EventType::receive);
  CHECK(replies[0].channel == replies[2].channel);
  CHECK(outcome.seen.info[replies[0].channel].owner == replies[0].process);
  const auto waits = outcome.of("client", EventType::receive_call);
  CHECK(outcome.seen.info.channel_sets.at(waits[0].code) == std::vector<ChannelId>{replies[0].channel});
  CHECK(outcome.truth.makespan.ns == 15'000'000);  // three times 1 + 3 + 1 ms
  CHECK(outcome.truth_of("server").final_state == "waits for a message from 'client'");
}

TEST_CASE("sim: who looks for a message sees one that arrives in the same nanosecond", "[sim]") {
  // Ten times a tenth of a second is a little less than a second in SimGrid's clock; in nanoseconds it is one.
  const auto outcome = System()
                           .machine("red")
                           .machine("blue")
                           .process("a", "red", {"b"},
                                    [](MessageCalls& calls) {
                                      calls.compute(milliseconds(990));
                                      calls.send_message(calls.link_to("b"), message_of(1));
                                    })
                           .process("b", "blue", {},
                                    [](MessageCalls& calls) {
                                      for (int i = 0; i < 10; ++i) calls.compute(milliseconds(100));
                                      expect(calls.a_receive_message().has_value(), "it is there");
                                    })
                           .run();
  CHECK(outcome.error == "");
}
