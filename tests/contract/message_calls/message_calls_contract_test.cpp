// What every message system owes to a program, each by programs that say so themselves (expect()).
#include <algorithm>

#include "tests/contract/message_calls/both_systems.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

System pair(Program a, Program b) {
  return System()
      .machine("red")
      .machine("blue")
      .process("a", "red", {"b"}, std::move(a))
      .process("b", "blue", {"a"}, std::move(b));
}

// Both systems end the run with an error that says this.
void check_misuse(Program a, const std::string& complaint) {
  for (const Ran& ran : run_both(pair(std::move(a), [](MessageCalls&) {}))) {
    INFO(ran.where);
    CHECK_THAT(ran.error, Catch::Contains(complaint));
  }
}

OutgoingMessage numbered(std::uint32_t code, std::uint32_t length_bytes, std::size_t data_bytes = 0) {
  OutgoingMessage message = message_of(code, length_bytes);
  for (std::size_t i = 0; i < data_bytes; ++i) message.data.push_back(static_cast<std::byte>(code + i));
  return message;
}

}  // namespace

TEST_CASE("message calls: code, length, data and sender of a message arrive, in the order of one sender",
          "[contract]") {
  constexpr std::uint32_t kMessages = 300;
  // Of all sizes: a message may be longer than what it holds, and longer than any buffer on its way.
  const auto length_of = [](std::uint32_t i) { return i % 100 == 99 ? 3'000'000u : i * 7; };
  check_that_all_ends(pair(
      [=](MessageCalls& calls) {
        for (std::uint32_t i = 0; i < kMessages; ++i)
          calls.send_message(calls.link_to("b"), numbered(i, length_of(i), i % 40));
      },
      [=](MessageCalls& calls) {
        for (std::uint32_t i = 0; i < kMessages; ++i) {
          const Message message = calls.receive_message();
          expect(message.code == i, "message " + std::to_string(i) + ", not " + std::to_string(message.code));
          expect(message.length_bytes == std::max(length_of(i), i % 40), "its length");
          expect(message.data == numbered(i, 0, i % 40).data, "its data");
          expect(message.over == calls.link_from("a") && message.sender == ProcessId{0}, "from a");
          expect(!message.passed && !message.reply_to, "nothing came with it");
        }
        expect(!calls.a_receive_message(), "and no other");
      }));
}

TEST_CASE("message calls: a sender goes on at once, however much waits at the receiver", "[contract]") {
  // Both send more than any socket holds before they receive.
  const auto both = [](MessageCalls& calls, const std::string& other) {
    for (std::uint32_t i = 0; i < 40; ++i) calls.send_message(calls.link_to(other), numbered(i, 500'000, 10));
    for (std::uint32_t i = 0; i < 40; ++i) expect(calls.receive_message().code == i, "message " + std::to_string(i));
  };
  check_that_all_ends(
      pair([=](MessageCalls& calls) { both(calls, "b"); }, [=](MessageCalls& calls) { both(calls, "a"); }));
}

TEST_CASE("message calls: a process can send to itself", "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        const LinkIndex mine = calls.create_link();
        for (std::uint32_t i = 0; i < 20; ++i) calls.send_message(mine, numbered(i, 1'000'000));
        for (std::uint32_t i = 0; i < 20; ++i) expect(calls.receive_message().code == i, "in order");
      },
      [](MessageCalls&) {}));
}

TEST_CASE("message calls: a selective receive takes the earliest message over the links it names", "[contract]") {
  System system;
  const auto sender = [](std::uint32_t code, std::int64_t after_ms) {
    return [=](MessageCalls& calls) {
      calls.receive_message();
      calls.compute(milliseconds(after_ms));
      calls.send_message(calls.link_to("reader"), message_of(code));
      calls.send_message(calls.link_to("reader"), message_of(code + 10));
      calls.send_message(calls.link_to("go"), message_of(0));
    };
  };
  system.machine("red").machine("blue").machine("green");
  system.process("a", "red", {"reader", "go"}, sender(1, 1));
  system.process("b", "blue", {"reader", "go"}, sender(2, 1));
  system.process("go", "green", {"a", "b", "reader"}, [](MessageCalls& calls) {
    for (const char* name : {"a", "b"}) {  // one after the other, so that all of a's arrive first
      calls.send_message(calls.link_to(name), message_of(0));
      calls.receive_message();
    }
    calls.compute(milliseconds(30));  // simulated, messages need time to arrive
    calls.send_message(calls.link_to("reader"), message_of(3));
  });
  system.process("reader", "green", {}, [](MessageCalls& calls) {
    const std::vector<LinkIndex> go = {calls.link_from("go")};
    const std::vector<LinkIndex> b = {calls.link_from("b")};
    const std::vector<LinkIndex> a_or_b = {calls.link_from("b"), calls.link_from("a")};
    expect(calls.receive_message(go).code == 3, "the last to come, first");
    expect(calls.receive_message(b).code == 2, "the first of b");
    expect(calls.receive_message(a_or_b).code == 1, "the earliest of both");
    expect(!calls.a_receive_message(go), "no other of go");
    expect(calls.a_receive_message()->code == 11, "then the earliest of any");
    expect(calls.receive_message().code == 12, "and the last");
  });
  check_that_all_ends(system);
}

TEST_CASE("message calls: over two links from one process, the one asked for is received, the other keeps its turn",
          "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        const Message invitation = calls.receive_message();
        for (std::uint32_t i = 0; i < 5; ++i) calls.send_message(calls.link_to("b"), numbered(i, 2000));
        calls.send_message(*invitation.passed, message_of(100));
        for (std::uint32_t i = 5; i < 9; ++i) calls.send_message(calls.link_to("b"), numbered(i, 2000));
      },
      [](MessageCalls& calls) {
        const std::vector<LinkIndex> second = {calls.create_link()};
        OutgoingMessage invitation;
        invitation.pass = second.front();
        calls.send_message(calls.link_to("a"), invitation);
        const Message message = calls.receive_message(second);
        expect(message.code == 100 && message.over == second.front(), "over the second link");
        for (std::uint32_t i = 0; i < 9; ++i) expect(calls.receive_message().code == i, "message " + std::to_string(i));
      }));
}

TEST_CASE("message calls: CALL waits for its own answer, whatever comes before", "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        OutgoingMessage question = message_of(1);
        question.pass = calls.create_link();
        const Message answer = calls.call(calls.link_to("b"), question);
        expect(answer.code == 2 && answer.data == bytes_of("yes"), "the answer");
        expect(calls.receive_message().code == 7, "sent before the answer");
        const Message over_mine = calls.receive_message();
        expect(over_mine.code == 8 && over_mine.over == *question.pass, "sent over the link that went along");
        expect(calls.call(calls.link_to("b"), message_of(3)).code == 4, "another answer");
      },
      [](MessageCalls& calls) {
        const Message question = calls.receive_message();
        expect(question.code == 1 && question.reply_to && question.passed, "a CALL with a link");
        calls.send_message(calls.link_to("a"), message_of(7));
        calls.send_message(*question.passed, message_of(8));
        OutgoingMessage answer = message_of(2);
        answer.data = bytes_of("yes");
        calls.reply(question, answer);
        calls.reply(calls.receive_message(), message_of(4));
      }));
}

TEST_CASE("message calls: a reply link may be passed on, and the process that has it answers once", "[contract]") {
  System system;
  system.machine("red");
  system.process("a", "red", {"b", "c"}, [](MessageCalls& calls) {
    calls.send_message(calls.link_to("c"), message_of(1));  // stands in front of nothing that c has to say to a
    expect(calls.call(calls.link_to("b"), {}).code == 9, "c answers");
    expect(calls.receive_message().code == 5, "what c said before");
  });
  system.process("b", "red", {"c"}, [](MessageCalls& calls) {
    const Message request = calls.receive_message();
    OutgoingMessage forward = message_of(2);
    forward.pass = request.reply_to;
    calls.send_message(calls.link_to("c"), forward);
  });
  system.process("c", "red", {"a"}, [](MessageCalls& calls) {
    const std::vector<LinkIndex> from_b = {calls.link_from("b")};
    const Message forwarded = calls.receive_message(from_b);
    calls.send_message(calls.link_to("a"), message_of(5));
    calls.send_message(*forwarded.passed, message_of(9));
    expect(calls.receive_message().code == 1, "of a");
  });
  check_that_all_ends(system);
}

TEST_CASE("message calls: draws, names and work are those of the process, in every system", "[contract]") {
  const auto draws_first = [](MessageCalls& calls) {
    Random own = Random::stream(7, calls.name());  // of the fixture's seed
    for (int i = 0; i < 10; ++i) expect(calls.random().next() == own.next(), "draw " + std::to_string(i));
    calls.did_work(milliseconds(1));
    expect(calls.local_time().ns >= 0, "a clock");
  };
  check_that_all_ends(pair(draws_first, draws_first));
}

TEST_CASE("message calls: STOPTASK ends a process in the middle of its program, and what it sent arrives",
          "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        for (std::uint32_t i = 0; i < 30; ++i) calls.send_message(calls.link_to("b"), numbered(i, 400'000));
        calls.stop_task();
      },
      [](MessageCalls& calls) {
        calls.compute(milliseconds(50));
        for (std::uint32_t i = 0; i < 30; ++i)
          expect(calls.receive_message().code == i, "message " + std::to_string(i));
      }));
}

TEST_CASE("message calls: a message to a process that has ended is dropped, and its sender goes on", "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        calls.compute(milliseconds(100));
        for (std::uint32_t i = 0; i < 100; ++i) calls.send_message(calls.link_to("b"), numbered(i, 10'000));
      },
      [](MessageCalls&) {}));
}

TEST_CASE("message calls: lines are printed by whom they say", "[contract]") {
  for (const Ran& ran : run_both(pair(
           [](MessageCalls& calls) {
             calls.receive_message();
             calls.print_line("second");
           },
           [](MessageCalls& calls) {
             calls.print_line("first");
             calls.send_message(calls.link_to("a"), {});
           }))) {
    INFO(ran.where);
    CHECK(ran.printed == std::vector<PrintedLine>{{"b", "first"}, {"a", "second"}});
  }
}

// ---- time

TEST_CASE("message calls: a process that sleeps goes on by itself, and receives later what came meanwhile",
          "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("b"), message_of(1));
        const LocalTime before = calls.local_time();
        calls.sleep(milliseconds(150));
        expect((calls.local_time() - before).ns >= 149'000'000, "the time has passed");
        expect(calls.receive_message().code == 2, "what came meanwhile");
        calls.send_message(calls.link_to("b"), message_of(3));
      },
      [](MessageCalls& calls) {
        expect(calls.receive_message().code == 1, "sent before");
        calls.send_message(calls.link_to("a"), message_of(2));
        expect(calls.receive_message().code == 3, "sent after");
      }));
}

TEST_CASE("message calls: a run in which every process sleeps is not a deadlock", "[contract]") {
  // A native run looks for a second before it calls it one.
  const auto sleeps = [](MessageCalls& calls) { calls.sleep(milliseconds(1500)); };
  check_that_all_ends(pair(sleeps, [](MessageCalls& calls) {
    expect(!calls.receive_message_until(calls.deadline_in(milliseconds(1500))), "nothing comes");
  }));
}

TEST_CASE("message calls: a receive with a deadline takes what comes in time, and nothing else", "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        calls.send_message(calls.link_to("b"), message_of(1));
        const std::vector<LinkIndex> other = {calls.create_link()};
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(300)), other), "nothing over this link");
        const auto message = calls.receive_message_until(calls.deadline_in(milliseconds(100)));
        expect(message && message->code == 2, "what had arrived");
        const auto soon = calls.receive_message_until(calls.deadline_in(milliseconds(60'000)));
        expect(soon && soon->code == 3, "what comes in time");
        expect(!calls.receive_message_until(calls.deadline_in({})), "no time, no message");
      },
      [](MessageCalls& calls) {
        calls.receive_message();
        calls.send_message(calls.link_to("a"), message_of(2));
        calls.sleep(milliseconds(600));
        calls.send_message(calls.link_to("a"), message_of(3));
      }));
}

TEST_CASE("message calls: a reply that comes after its deadline is not taken for that of the next CALL", "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        const auto ask = [&](std::uint32_t code, std::int64_t ms) {
          return calls.call_until(calls.deadline_in(milliseconds(ms)), calls.link_to("b"), message_of(code));
        };
        expect(!ask(1, 150), "its reply comes too late");
        expect(!ask(2, 0), "nothing is that fast");
        const auto third = ask(3, 60'000);
        expect(third && third->code == 103, "the third reply, to the third call");
        expect(calls.call(calls.link_to("b"), message_of(4)).code == 104, "nor of one without a deadline");
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(50))), "nor for a message");
      },
      [](MessageCalls& calls) {
        for (int i = 0; i < 4; ++i) {
          const Message message = calls.receive_message();
          if (message.code == 1) calls.sleep(milliseconds(400));
          calls.reply(message, message_of(100 + message.code));
        }
      }));
}

// ---- data

namespace {

// Gives `other` a link to an area of its own address space.
OutgoingMessage invitation(MessageCalls& calls, const DataArea& area) {
  OutgoingMessage message;
  message.pass = calls.create_link(area);
  return message;
}

}  // namespace

TEST_CASE("message calls: MOVEDATA to another process is there when the next message of its mover is", "[contract]") {
  System system = pair(
      [](MessageCalls& calls) {
        calls.address_space() = bytes_of("0123456789");
        const LinkIndex mine = calls.create_link(DataArea{0, 10, true, false});
        const Message invited = calls.receive_message();
        calls.send_message(calls.link_to("b"), message_of(1));  // the data stand behind it
        calls.move_data(mine, *invited.passed, 10);
        calls.send_message(calls.link_to("b"), message_of(2));
      },
      [](MessageCalls& calls) {
        calls.address_space() = bytes_of("................");
        calls.send_message(calls.link_to("a"), invitation(calls, DataArea{3, 12, false, true}));
        expect(calls.receive_message().code == 1, "the message before");
        expect(calls.receive_message().code == 2, "the message after");
        expect(text_of(calls.address_space()) == "...0123456789...", text_of(calls.address_space()));
      });
  system.scenario.move_data_message_bytes = 4;
  check_that_all_ends(system);
}

TEST_CASE("message calls: MOVEDATA from another process returns when the data are there", "[contract]") {
  System system = pair(
      [](MessageCalls& calls) {
        calls.address_space() = bytes_of("abcdefghij");
        calls.send_message(calls.link_to("b"), message_of(1));  // not received before the data
        calls.send_message(calls.link_to("b"), invitation(calls, DataArea{2, 6, true, false}));
        // Meanwhile it waits for something else, and messages stand in front of the request.
        const std::vector<LinkIndex> only = {calls.create_link()};
        OutgoingMessage ending;
        ending.pass = only.front();
        calls.send_message(calls.link_to("b"), ending);
        calls.receive_message(only);
        for (int i = 0; i < 3; ++i) expect(calls.receive_message().code == 5, "what stood in front");
      },
      [](MessageCalls& calls) {
        calls.address_space() = bytes_of("..........");
        const LinkIndex mine = calls.create_link(DataArea{1, 8, true, true});
        expect(calls.receive_message().code == 1, "the first");
        const Message invited = calls.receive_message();
        const Message ending = calls.receive_message();
        for (int i = 0; i < 3; ++i) calls.send_message(calls.link_to("a"), message_of(5));
        calls.move_data(*invited.passed, mine, 6);
        expect(text_of(calls.address_space()) == ".cdefgh...", text_of(calls.address_space()));
        calls.send_message(*ending.passed, {});
      });
  system.scenario.move_data_message_bytes = 4;
  check_that_all_ends(system);
}

TEST_CASE("message calls: MOVEDATA between two others goes from the one to the other", "[contract]") {
  System system;
  system.machine("red").machine("blue");
  const auto owner = [](const std::string& text, bool is_source) {
    return [=](MessageCalls& calls) {
      calls.address_space() = bytes_of(text);
      calls.send_message(calls.link_to("mover"), invitation(calls, DataArea{0, 6, is_source, !is_source}));
      calls.receive_message();
      if (is_source) return calls.send_message(calls.link_to("target"), {});  // behind the data
      calls.receive_message();
      expect(text_of(calls.address_space()) == "source", text_of(calls.address_space()));
    };
  };
  system.process("source", "red", {"mover", "target"}, owner("source", true));
  system.process("target", "blue", {"mover"}, owner("......", false));
  system.process("mover", "blue", {"source", "target"}, [](MessageCalls& calls) {
    const std::vector<LinkIndex> from_source = {calls.link_from("source")};
    const std::vector<LinkIndex> from_target = {calls.link_from("target")};
    const LinkIndex source = *calls.receive_message(from_source).passed;
    const LinkIndex target = *calls.receive_message(from_target).passed;
    calls.move_data(source, target, 6);
    calls.send_message(calls.link_to("source"), {});
    calls.send_message(calls.link_to("target"), {});
  });
  check_that_all_ends(system);
}

// ---- misuse

TEST_CASE("message calls: misuse ends the run and names process and call", "[contract]") {
  check_misuse([](MessageCalls& calls) { calls.send_message(LinkIndex{77}, {}); },
               "process 'a' on machine 'red', send_message: index 77 of its link table holds no link");
  check_misuse([](MessageCalls& calls) { calls.send_message(LinkIndex{}, {}); }, "send_message: no link was given");
  check_misuse(
      [](MessageCalls& calls) {
        const LinkIndex link = calls.create_link();
        calls.destroy_link(link);
        calls.create_link();
        calls.send_message(link, {});
      },
      "holds no link");
  check_misuse(
      [](MessageCalls& calls) {
        const std::vector<LinkIndex> over = {calls.link_to("b")};
        calls.receive_message(over);
      },
      "leads to process 'b'; a process can only receive over links it created itself");
  check_misuse([](MessageCalls& calls) { calls.link_to("c"); },
               "process 'a', link_to: the scenario gives it no link to 'c'");
  check_misuse([](MessageCalls& calls) { calls.link_from("c"); }, "link_from: the scenario gives 'c' no link to it");
  check_misuse([](MessageCalls& calls) { calls.reply(Message{}, {}); }, "reply: the message was not sent with CALL");
  check_misuse([](MessageCalls& calls) { calls.compute(Duration{-1}); }, "compute: a negative time");
  check_misuse([](MessageCalls& calls) { calls.sleep(Duration{-1}); }, "sleep: a negative time");
  check_misuse(
      [](MessageCalls& calls) {
        calls.create_link(DataArea{0, 1, true, true});
      },
      "create_link: the data area");
  check_misuse([](MessageCalls& calls) { calls.move_data(calls.link_to("b"), calls.create_link(), 1); },
               "move_data: the link it moves data from has no data area");
  check_misuse([](MessageCalls&) { throw std::runtime_error("a reason"); },
               "process 'a' ended with an exception: a reason");
}

TEST_CASE("message calls: processes that wait for each other are named, with what they wait for", "[contract]") {
  System system = pair(
      [](MessageCalls& calls) {
        const std::vector<LinkIndex> over = {calls.link_from("b")};
        calls.set_awaited("'vote'", true);
        calls.receive_message(over);
      },
      [](MessageCalls& calls) {
        calls.set_awaited("'ask'", true);
        calls.call(calls.link_to("c"), {});
      });
  system.scenario.processes.back().links.push_back("c");
  system.process("c", "red", {}, [](MessageCalls& calls) {
    const std::vector<LinkIndex> over = {calls.create_link()};
    calls.receive_message(over);
  });
  for (const Ran& ran : run_both(system)) {
    INFO(ran.where);
    CHECK(ran.error == "");
    CHECK(ran.ended_by == "deadlock");
    CHECK(ran.blocked ==
          std::vector<std::string>{"process 'a' on machine 'red' waits for 'vote' from 'b'",
                                   "process 'b' on machine 'blue' waits for the reply of 'c' to 'ask'",
                                   "process 'c' on machine 'red' waits for a message over a link it created"});
  }
}

TEST_CASE("message calls: a receive takes the highest rank, of these the earliest, and leaves what has none",
          "[contract]") {
  check_that_all_ends(pair(
      [](MessageCalls& calls) {
        for (const std::uint32_t code : {5, 1, 2, 9, 2, 3}) calls.send_message(calls.link_to("b"), message_of(code));
        calls.call(calls.link_to("b"), message_of(4));
      },
      [](MessageCalls& calls) {
        const LinkIndex a = calls.link_from("a");
        const auto ranked = [&](auto rank_of) {
          Selection selection;
          selection.rank = [=](LinkIndex over, std::uint32_t code) -> std::optional<double> {
            expect(over == a, "its link");
            return rank_of(code);
          };
          return selection;
        };
        const auto only = [&](std::uint32_t wanted) {
          return ranked([=](std::uint32_t code) { return code == wanted ? std::optional(0.0) : std::nullopt; });
        };
        const Message last = calls.receive_message(only(4));
        expect(last.code == 4, "the last to come, first");
        expect(!calls.a_receive_message(only(8)), "none of a kind that has not come");
        expect(!calls.receive_message_until(calls.deadline_in(milliseconds(1)), only(8)), "nor in time");
        const auto small =
            ranked([](std::uint32_t code) { return code < 9 ? std::optional(double{code % 4}) : std::nullopt; });
        for (const std::uint32_t code : {3, 2, 2, 5, 1})
          expect(calls.receive_message(small).code == code, "by rank: " + std::to_string(code));
        expect(!calls.a_receive_message(small), "one is left");
        expect(calls.receive_message().code == 9, "and is taken by a receive of all");
        calls.reply(last, message_of(1));
      }));
}

TEST_CASE("message calls: several CALLs at once wait together, and a reply that is late is dropped", "[contract]") {
  const auto server = [](std::int64_t first_ms) {
    return [=](MessageCalls& calls) {
      for (const std::int64_t ms : {first_ms, std::int64_t{1}}) {
        const Message question = calls.receive_message();
        calls.sleep(milliseconds(ms));
        calls.reply(question, message_of(question.code * 10));
      }
    };
  };
  System system;
  system.machine("red").machine("blue").machine("green");
  system.process("slow", "red", {}, server(400)).process("quick", "blue", {}, server(100));
  system.process("client", "green", {"slow", "quick"}, [](MessageCalls& calls) {
    const auto requests = [&](std::uint32_t code) {
      return std::vector<std::pair<LinkIndex, OutgoingMessage>>{{calls.link_to("slow"), message_of(code)},
                                                                {calls.link_to("quick"), message_of(code + 1)}};
    };
    const auto in_time = calls.call_all(requests(1), calls.deadline_in(milliseconds(250)));
    expect(in_time.size() == 1 && in_time.front().code == 20, "the quick one's");
    const auto both = calls.call_all(requests(3), std::nullopt);
    expect(both.size() == 2 && both[0].code == 40 && both[1].code == 30, "both, as they come");
    expect(calls.call_all({}, std::nullopt).empty(), "none of none");
    expect(!calls.a_receive_message(), "a reply is not a message");
  });
  check_that_all_ends(system);
}
