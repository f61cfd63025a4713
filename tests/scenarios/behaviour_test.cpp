// Programs written in the file, performed against a scripted system.
#include "scenarios/behaviour/behaviour.hpp"

#include <map>

#include "model/misuse.hpp"
#include "scenarios/behaviour/request_tag.hpp"
#include "tests/scenarios/subject.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

CATCH_TRANSLATE_EXCEPTION(Misuse& misuse) { return misuse.what; }

namespace {

std::vector<std::byte> tag(std::uint64_t request, std::uint64_t draws) { return encode(RequestTag{request, draws}); }

}  // namespace

TEST_CASE("behaviour: start steps are done in order, and the process ends", "[scenarios]") {
  CHECK(run_start(R"([{"compute_s": 0.02}, {"repeat": 2, "do": [{"send": "ask", "to": "a", "bytes": 100}]},
                      {"call": "ask", "to": "b", "bytes": 5}])") ==
        Lines{"compute 20 ms", "send 1 to a 100", "send 1 to a 100", "call 1 to b 5", "end"});
  CHECK(run_start(R"([{"stop": true}, {"compute_s": 1}])") == Lines{"stop"});
}

TEST_CASE("behaviour: a group is written to in turn, all, or at random", "[scenarios]") {
  CHECK(run_start(R"([{"repeat": 4, "do": [{"send": "ask", "to": "g", "bytes": 1, "pick": "in_turn"}]}])") ==
        Lines{"send 1 to g_1 1", "send 1 to g_2 1", "send 1 to g_3 1", "send 1 to g_1 1", "end"});
  CHECK(run_start(R"([{"send": "ask", "to": "g", "bytes": 1, "pick": "all"}])") ==
        Lines{"send 1 to g_1 1", "send 1 to g_2 1", "send 1 to g_3 1", "end"});
  std::map<std::string, int> count;
  for (const auto& line : run_start(R"([{"repeat": 3000, "do": [{"send": "ask", "to": "g", "bytes": 1}]}])"))
    ++count[line];
  for (const auto* member : {"send 1 to g_1 1", "send 1 to g_2 1", "send 1 to g_3 1"})
    CHECK(count[member] == Approx(1000).margin(150));
}

TEST_CASE("behaviour: a member of a group does not write to itself", "[scenarios]") {
  const Scenario scenario = scenario_of(R"({"name": "t", "machines": ["m"], "time_limit_s": 1, "programs": {
    "peer": {"start": [{"send": "x", "to": "peer", "bytes": 1, "pick": "all"}], "on": [{"kind": "x", "do": []}]}},
    "processes": [{"name": "peer", "count": 3, "program": "peer"}]})");
  CHECK(process_of(scenario, "peer_2").links == Lines{"peer_1", "peer_3"});
  FakeCalls calls("peer_2", {"peer_1", "peer_3"});
  calls.run(process_of(scenario, "peer_2").program);
  CHECK(calls.done == Lines{"send 1 to peer_1 1", "send 1 to peer_3 1"});
}

TEST_CASE("behaviour: branches and probabilities come up as often as they should", "[scenarios]") {
  std::map<std::string, int> count;
  for (const auto& line : run_start(R"([{"repeat": 4000, "do": [
      {"choose": [{"weight": 3, "do": [{"send": "ask", "to": "a", "bytes": 1}]},
                  {"weight": 0, "do": [{"stop": true}]},
                  {"weight": 1, "do": [{"send": "ask", "to": "b", "bytes": 1}]}]},
      {"send": "item", "to": "a", "bytes": 2, "probability": 0.1}]}])"))
    ++count[line];
  CHECK(count["send 1 to a 1"] == Approx(3000).margin(150));
  CHECK(count["send 1 to b 1"] == Approx(1000).margin(150));
  CHECK(count["send 3 to a 2"] == Approx(400).margin(80));
  CHECK(count["stop"] == 0);
}

TEST_CASE("behaviour: distributions have the means they should", "[scenarios]") {
  FakeCalls calls = fake();
  calls.run(program_of(R"({"start": [{"repeat": 5000, "do": [{"compute_s": {"exponential": 0.5}}]},
      {"repeat": 5000, "do": [{"compute_s": {"uniform": [1, 3]}}]},
      {"repeat": 5000, "do": [{"compute_s": {"choice": [0, 10], "weights": [9, 1]}}]}]})"));
  REQUIRE(calls.computed.size() == 15000);
  double mean[3] = {};
  for (std::size_t i = 0; i < 15000; ++i) mean[i / 5000] += calls.computed[i].seconds() / 5000;
  CHECK(mean[0] == Approx(0.5).margin(0.03));
  CHECK(mean[1] == Approx(2.0).margin(0.05));
  CHECK(mean[2] == Approx(1.0).margin(0.2));
  for (std::size_t i = 5000; i < 10000; ++i)
    REQUIRE((calls.computed[i].seconds() >= 1 && calls.computed[i].seconds() < 3));
}

TEST_CASE("behaviour: variables are remembered between messages", "[scenarios]") {
  FakeCalls calls = fake();
  for (int i = 0; i < 5; ++i) calls.arrive("a", 3, 10);
  calls.run(program_of(R"({"variables": {"n": 0}, "on": [{"kind": "item", "do": [{"count": "n"},
      {"if": "n", "at_least": 2, "do": [{"set": "n"}, {"compute_s": 0.002}], "else": [{"compute_s": 0.001}]}]}]})"));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 2 ms", "compute 1 ms", "compute 2 ms", "compute 1 ms"});
}

TEST_CASE("behaviour: the first handler that matches kind and sender is used", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 10);
  calls.arrive("g_2", 1, 10);
  calls.arrive("b", 1, 10);
  calls.arrive("b", 5, 10);
  calls.run(program_of(R"({"on": [{"kind": "ask", "from": "a", "do": [{"compute_s": 0.001}]},
      {"kind": "ask", "from": "g", "do": [{"compute_s": 0.002}]}, {"kind": "ask", "do": [{"compute_s": 0.003}]},
      {"kind": "any", "do": [{"send": "item", "to": "sender", "bytes": 7}]}]})"));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 2 ms", "compute 3 ms", "send 3 to b 7"});
}

TEST_CASE("behaviour: a message without a handler ends the process with an error that names it", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("b", 99, 10);
  const Program program = program_of(R"({"on": [{"kind": "item", "do": []}]})");
  CHECK_THROWS_WITH(calls.run(program), "process 'p' has no handler for a message of code 99 from 'b'");
}

TEST_CASE("behaviour: a call is answered over its own reply link", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(1, 1), true);
  calls.arrive("b", 1, 100, tag(2, 2), true);
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"reply": "answer", "bytes": 20}]}]})"));
  CHECK(calls.done == Lines{"reply 2 on link 1", "reply 2 on link 2"});
}

TEST_CASE("behaviour: a held call is answered when the result of its request arrives, in any order", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(11, 1), true);
  calls.arrive("b", 1, 200, tag(22, 2), true);
  calls.arrive("g_1", 3, 10, tag(22, 3));
  calls.arrive("g_2", 3, 10, tag(11, 4));
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"forward": "ask", "to": "g", "pick": "in_turn"}]},
                                  {"kind": "item", "do": [{"reply": "answer", "bytes": 20}]}]})"));
  CHECK(calls.done == Lines{"send 1 to g_1 100", "send 1 to g_2 200", "reply 2 on link 2", "reply 2 on link 1"});
  CHECK(decode_request_tag(calls.sent[0].data)->request == 11);
  CHECK(decode_request_tag(calls.sent[1].data)->request == 22);
  CHECK(decode_request_tag(calls.sent[2].data)->request == 22);
}

TEST_CASE("behaviour: a call of the request in hand is answered before an older one of the same request",
          "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(7, 1), true);  // link 1, held
  calls.arrive("b", 5, 100, tag(7, 2), true);  // link 2, asks back about the same request
  calls.arrive("g_1", 3, 10, tag(7, 3));
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": []}, {"kind": "other", "do": [{"reply": "answer", "bytes": 1}]},
                                  {"kind": "item", "do": [{"reply": "answer", "bytes": 1}]}]})"));
  CHECK(calls.done == Lines{"reply 2 on link 2", "reply 2 on link 1"});
}

TEST_CASE("behaviour: a reply to nothing is left to the kernel to refuse", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100);
  const Program program = program_of(R"({"on": [{"kind": "ask", "do": [{"reply": "answer", "bytes": 1}]}]})");
  CHECK_THROWS_WITH(calls.run(program), "misuse: reply to a message that was not a call");
}

TEST_CASE("behaviour: short messages carry no request, and calls with them are still answered", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 1, {}, true);
  calls.arrive("b", 1, 1, {}, true);
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"reply": "answer", "bytes": 15}]}]})"));
  CHECK(calls.done == Lines{"reply 2 on link 1", "reply 2 on link 2"});
  CHECK(calls.sent[0].data.empty());
}

TEST_CASE("behaviour: a wait takes its kind and keeps others for the handlers", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 5, 10);
  calls.arrive("g_1", 2, 10);
  calls.arrive("b", 2, 10);  // of the kind, but not from the group
  calls.arrive("g_3", 2, 10);
  calls.run(program_of(
      R"({"start": [{"wait": "answer", "from": "g", "count": 2}, {"send": "end", "to": "sender", "bytes": 3}],
      "on": [{"kind": "other", "do": [{"compute_s": 0.001}]}, {"kind": "answer", "do": [{"compute_s": 0.002}]}]})"));
  // The kernel was asked for messages from g only, so b's waits its turn behind a's.
  CHECK(calls.done == Lines{"send 4 to g_3 3", "compute 1 ms", "compute 2 ms"});
}

TEST_CASE("behaviour: a server may be written with waits alone", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 10, {}, true);
  calls.arrive("b", 1, 10, {}, true);
  calls.run(program_of(R"({"start": [{"repeat": 2, "do": [{"wait": "ask"}, {"reply": "answer", "bytes": 1}]}]})"));
  CHECK(calls.done == Lines{"reply 2 on link 1", "reply 2 on link 2", "end"});
}

TEST_CASE("behaviour: steps that need a message fail loudly when a skipped wait left none", "[scenarios]") {
  FakeCalls calls = fake();
  const Program program =
      program_of(R"({"start": [{"wait": "ask", "probability": 0}, {"send": "end", "to": "sender", "bytes": 3}]})");
  CHECK_THROWS_WITH(calls.run(program), "process 'p' has no message to reply to or forward (the step at line 3)");
}

TEST_CASE("behaviour: an error names the line of the step that made it, and not those of the steps around it",
          "[scenarios]") {
  FakeCalls calls = fake();
  const Program program = program_of(R"({"start": [{"repeat": 2, "do": [
      {"wait": "ask", "probability": 0},
      {"repeat": 3, "do": [
        {"forward": "end", "to": "a"}]}]}]})");
  CHECK_THROWS_WITH(calls.run(program), "process 'p' has no message to reply to or forward (the step at line 6)");
}

TEST_CASE("behaviour: every send from start begins a request of its own", "[scenarios]") {
  FakeCalls calls = fake();
  calls.run(program_of(R"({"start": [{"repeat": 3, "do": [{"send": "ask", "to": "a", "bytes": 16}]}]})"));
  const auto request = [&](std::size_t i) { return decode_request_tag(calls.sent.at(i).data)->request; };
  CHECK(request(0) != request(1));
  CHECK(request(1) != request(2));
}

TEST_CASE("behaviour: with per_request the reaction depends on the message alone", "[scenarios]") {
  const std::string text = R"({"per_request": true, "on": [{"kind": "ask", "do": [{"compute_s": {"exponential": 1}},
      {"send": "item", "to": "g", "bytes": 16}]}]})";
  const auto react = [&](const std::vector<std::uint64_t>& order, const std::string& program,
                         const std::string& process = "p") {
    FakeCalls calls(process, kSenders);
    for (const auto request : order) calls.arrive("a", 1, 100, tag(request, request));
    calls.run(program_of(program));
    std::map<std::uint64_t, std::int64_t> time_of_request;
    for (std::size_t i = 0; i < order.size(); ++i) time_of_request[order[i]] = calls.computed.at(i).ns;
    return time_of_request;
  };
  CHECK(react({1, 2, 3}, text) == react({3, 1, 2}, text));
  CHECK(react({1, 2, 3}, text)[1] != react({1, 2, 3}, text)[2]);
  CHECK(react({1}, text, "p") != react({1}, text, "q"));  // a member of a group draws for itself
  std::string without = text;
  without.replace(without.find("true"), 4, "false");
  CHECK(react({1, 2, 3}, without) != react({3, 1, 2}, without));
}

TEST_CASE("behaviour: messages of one request draw differently further on", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(5, 5));
  calls.run(program_of(
      R"({"on": [{"kind": "ask", "do": [{"repeat": 2, "do": [{"send": "item", "to": "b", "bytes": 16}]}]}]})"));
  const auto first = decode_request_tag(calls.sent.at(0).data), second = decode_request_tag(calls.sent.at(1).data);
  CHECK(first->request == second->request);
  CHECK(first->draws != second->draws);
}

TEST_CASE("behaviour: branches in order come one after the other, and then again", "[scenarios]") {
  CHECK(run_start(R"([{"repeat": 6, "do": [{"choose": [{"do": [{"send": "ask", "to": "a", "bytes": 1}]},
      {"do": [{"send": "ask", "to": "b", "bytes": 1}]}], "in_order": [2, 1], "times": [1, 3]}]}])") ==
        Lines{"send 1 to b 1", "send 1 to a 1", "send 1 to a 1", "send 1 to a 1", "send 1 to b 1", "send 1 to a 1",
              "end"});
}

TEST_CASE("behaviour: measured values and dealt branches come up exactly as often as measured", "[scenarios]") {
  FakeCalls calls = fake();
  calls.run(program_of(R"({"start": [{"repeat": 12, "do": [
      {"compute_s": {"measured": [0.001, 0.002], "weights": [1, 2]}},
      {"choose": [{"weight": 3, "do": [{"send": "ask", "to": "a", "bytes": 1}]},
                  {"weight": 1, "do": [{"send": "ask", "to": "b", "bytes": 1}]}], "dealt": true}]}]})"));
  for (std::size_t deck = 0; deck < 4; ++deck) {
    std::int64_t ns = 0;
    for (std::size_t i = 0; i < 3; ++i) ns += calls.computed.at(3 * deck + i).ns;
    CHECK(ns == 5'000'000);
  }
  CHECK(std::count(calls.done.begin(), calls.done.end(), "send 1 to a 1") == 9);
  CHECK(std::count(calls.done.begin(), calls.done.end(), "send 1 to b 1") == 3);
}

TEST_CASE(
    "behaviour: the requester is the member of the group that began the request, not one that answered in between",
    "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("g_2", 1, 20, tag(7, 70));
  calls.arrive("g_3", 1, 20, tag(8, 80));
  calls.arrive("a", 2, 20, tag(8, 81));
  calls.arrive("a", 2, 20, tag(7, 71));
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"send": "ask", "to": "a", "bytes": 20}]},
      {"kind": "answer", "do": [{"send": "answer", "to": "g", "pick": "requester", "bytes": 30}]}]})"));
  CHECK(calls.done == Lines{"send 1 to a 20", "send 1 to a 20", "send 2 to g_3 30", "send 2 to g_2 30"});
}

TEST_CASE("behaviour: a request that no member of the group sent ends the process with an error", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 20, tag(7, 70));
  CHECK_THROWS_WITH(calls.run(program_of(R"({"on": [{"kind": "ask", "do": [
      {"send": "answer", "to": "g", "pick": "requester", "bytes": 30}]}]})")),
                    Catch::Contains("no process of the group of 'g_1' has sent it a message of the request"));
}

TEST_CASE("behaviour: a short message that was waited for belongs to the request being handled", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("g_2", 1, 20, tag(7, 70));
  calls.arrive("a", 2, 5);
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"send": "ask", "to": "a", "bytes": 5},
      {"wait": "answer", "from": "a"}, {"send": "answer", "to": "g", "pick": "requester", "bytes": 30}]}]})"));
  CHECK(calls.done == Lines{"send 1 to a 5", "send 2 to g_2 30"});
}

TEST_CASE("behaviour: a member that has answered gets the next task, and each has a limited number at a time",
          "[scenarios]") {
  FakeCalls calls = fake();
  for (const auto* who : {"g_3", "g_3", "g_1", "g_2", "g_1", "g_3", "g_2"}) calls.arrive(who, 2, 9);
  calls.run(program_of(R"({"start": [{"dispatch": "item", "to": "g", "bytes": 40, "tasks": 7, "in_flight": 2,
      "answer": "answer", "first": [{"compute_s": 0.001}], "next": [{"compute_s": 0.002}],
      "rest": [{"compute_s": 0.003}]}]})"));
  const Lines expected = {
      "compute 1 ms", "send 3 to g_1 40", "compute 1 ms", "send 3 to g_2 40", "compute 1 ms", "send 3 to g_3 40",
      "compute 1 ms", "send 3 to g_1 40", "compute 1 ms", "send 3 to g_2 40", "compute 1 ms", "send 3 to g_3 40",
      "compute 2 ms", "send 3 to g_3 40", "compute 3 ms", "compute 3 ms",     "compute 3 ms", "compute 3 ms",
      "compute 3 ms", "compute 3 ms",     "end"};
  CHECK(calls.done == expected);
}

TEST_CASE("behaviour: tasks of several kinds come up as often as their weights say", "[scenarios]") {
  FakeCalls calls = fake();
  for (int i = 0; i < 8; ++i) calls.arrive("a", 2, 9);
  calls.run(
      program_of(R"({"start": [{"dispatch": [{"kind": "item", "bytes": 40, "weight": 3}, {"kind": "end", "bytes": 7}],
      "to": "a", "tasks": 8, "answer": "answer"}]})"));
  CHECK(std::count(calls.done.begin(), calls.done.end(), "send 3 to a 40") == 6);
  CHECK(std::count(calls.done.begin(), calls.done.end(), "send 4 to a 7") == 2);
}

TEST_CASE("behaviour: fewer tasks than members, and none at all", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("g_1", 2, 9);
  calls.run(program_of(R"({"start": [
      {"dispatch": "item", "to": "g", "bytes": 40, "tasks": 1, "in_flight": 2, "answer": "answer"},
      {"dispatch": "item", "to": "g", "bytes": 40, "tasks": 0, "answer": "answer"}]})"));
  CHECK(calls.done == Lines{"send 3 to g_1 40", "end"});
}

TEST_CASE("behaviour: a limited sender's messages wait until one of them is answered", "[scenarios]") {
  FakeCalls calls = fake();
  for (const auto* who : {"g_1", "g_2", "g_3"}) calls.arrive(who, 1, 20, tag(who[2] - '0', 1));
  calls.arrive("a", 2, 20, tag(2, 9));
  calls.run(program_of(R"({"admits": {"from": "g", "at_most": 2}, "on": [
      {"kind": "ask", "do": [{"send": "ask", "to": "a", "bytes": 20}]},
      {"kind": "answer", "do": [{"send": "answer", "to": "g", "pick": "requester", "bytes": 30}]}]})"));
  CHECK(calls.done == Lines{"send 1 to a 20", "send 1 to a 20", "send 2 to g_2 30", "send 1 to a 20"});
}

// ---- time

TEST_CASE("behaviour: a process sleeps for a time, or one that is drawn", "[scenarios]") {
  CHECK(run_start(R"([{"sleep_s": 0.25}, {"send": "ask", "to": "a", "bytes": 1}, {"sleep_s": 0}])") ==
        Lines{"sleep 250 ms", "send 1 to a 1", "sleep 0 ms", "end"});
}

TEST_CASE("behaviour: a wait that takes too long is given up, and the steps for that case are done", "[scenarios]") {
  const std::string steps = R"([{"wait": "answer", "count": 2, "timeout_s": 0.5, "on_timeout": [{"compute_s": 0.007}]},
                                {"send": "ask", "to": "a", "bytes": 1}])";
  FakeCalls in_time = fake();
  in_time.arrive("a", 2, 10);
  in_time.arrive("b", 2, 10);
  in_time.run(program_of(R"({"start": )" + steps + "}"));
  CHECK(in_time.done == Lines{"send 1 to a 1", "end"});
  FakeCalls one_is_missing = fake();
  one_is_missing.arrive("a", 2, 10);
  one_is_missing.expire_after(1);
  one_is_missing.run(program_of(R"({"start": )" + steps + "}"));
  CHECK(one_is_missing.done == Lines{"deadline 500 ms", "compute 7 ms", "send 1 to a 1", "end"});
}

TEST_CASE("behaviour: a call without a reply in time is given up, and the steps for that case are done",
          "[scenarios]") {
  FakeCalls calls = fake();
  calls.silent = "b";
  calls.run(program_of(R"({"start": [
      {"call": "ask", "to": "a", "bytes": 1, "timeout_s": 1, "on_timeout": [{"compute_s": 0.001}]},
      {"call": "ask", "to": "b", "bytes": 1, "timeout_s": 2, "on_timeout": [{"compute_s": 0.002}]},
      {"call": "ask", "to": "b", "bytes": 1, "timeout_s": 3}]})"));
  CHECK(calls.done == Lines{"call until 1000 ms 1 to a 1", "call until 2000 ms 1 to b 1", "compute 2 ms",
                            "call until 3000 ms 1 to b 1", "end"});
}

TEST_CASE("behaviour: a message that was waited for in vain is not taken by the next wait", "[scenarios]") {
  // The answer to the first question comes when the second has been asked; both carry their requests.
  const auto run = [](const std::string& more) {
    FakeCalls probe = fake();  // the requests that the same draws begin
    probe.expire_after(0);
    const Program program = program_of(R"({"start": [
        {"repeat": 2, "do": [{"send": "ask", "to": "a", "bytes": 100},
                             {"wait": "answer", "timeout_s": 1, "on_timeout": [{"compute_s": 0.001}]}]},
        {"send": "item", "to": "b", "bytes": 1}])" +
                                       more + "}");
    probe.run(program);
    FakeCalls calls = fake();
    calls.expire_after(0);
    // Asked twice; what is drawn first is the same.
    calls.arrive("a", 2, 100, probe.sent.at(0).data);
    calls.run(program);
    return calls.done;
  };
  const Lines nothing_more = {"send 1 to a 100", "deadline 1000 ms", "compute 1 ms", "send 1 to a 100"};
  CHECK(run("") == nothing_more);  // the second wait goes on
  CHECK(run(R"(, "on": [{"kind": "answer", "do": []}])") == nothing_more);
}

TEST_CASE("behaviour: in a handler, what was waited for in vain is that of its request", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(1, 1));
  calls.arrive("b", 1, 100, tag(2, 2));
  calls.arrive("g_1", 2, 100, tag(1, 7));  // late
  calls.arrive("g_1", 2, 100, tag(2, 8));
  calls.expire_after(1);
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"send": "ask", "to": "g_1", "bytes": 100},
      {"wait": "answer", "timeout_s": 1, "on_timeout": [{"compute_s": 0.001}]}, {"send": "item", "to": "b", "bytes": 5}]}]})"));
  CHECK(calls.done == Lines{"send 1 to g_1 100", "deadline 1000 ms", "compute 1 ms", "send 3 to b 5",
                            "send 1 to g_1 100", "send 3 to b 5"});
}

TEST_CASE("behaviour: a late message has its handler all the same", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(1, 1));
  calls.arrive("g_1", 2, 100, tag(1, 7));
  calls.expire_after(1);
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"wait": "answer", "timeout_s": 1}]},
      {"kind": "answer", "do": [{"compute_s": 0.003}]}]})"));
  CHECK(calls.done == Lines{"deadline 1000 ms", "compute 3 ms"});
}

TEST_CASE("behaviour: idle steps are done when nothing has come for some time", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 3, 10);
  calls.expire_after(1);
  calls.run(program_of(R"({"on": [{"kind": "item", "do": [{"compute_s": 0.001}]}],
      "idle": {"timeout_s": 2, "do": [{"send": "ask", "to": "a", "bytes": 1}]}})"));
  CHECK(calls.done == Lines{"compute 1 ms", "deadline 2000 ms", "send 1 to a 1"});
}

// ---- limited queues

TEST_CASE("behaviour: what has no room in a limited queue is refused, the newest or the oldest", "[scenarios]") {
  const auto handled = [](const std::string& queue) {
    FakeCalls calls = fake();
    for (std::uint32_t length = 10; length < 14; ++length) {
      calls.arrive("a", 3, length);  // one, and three while it is handled
      calls.arrive_after(1);
    }
    calls.run(program_of(R"({"queue": )" + queue + R"(,
        "on": [{"kind": "item", "do": [{"compute_s": 0.001}, {"forward": "item", "to": "b"}]}]})"));
    return calls.done;
  };
  const std::string refused = R"("do": [{"forward": "end", "to": "b"}])";
  CHECK(handled(R"({"at_most": 1, )" + refused + "}") ==
        Lines{"compute 1 ms", "send 3 to b 10", "send 4 to b 12", "send 4 to b 13", "compute 1 ms", "send 3 to b 11"});
  CHECK(handled(R"({"at_most": 1, "drop_oldest": true, )" + refused + "}") ==
        Lines{"compute 1 ms", "send 3 to b 10", "send 4 to b 11", "send 4 to b 12", "compute 1 ms", "send 3 to b 13"});
  CHECK(handled(R"({"at_most": 0})") == Lines{"compute 1 ms", "send 3 to b 10"});
  CHECK(handled(R"({"at_most": 3, )" + refused + "}").size() == 8);
}

TEST_CASE("behaviour: an idle process takes the first of several messages that come at once, whatever is dropped",
          "[scenarios]") {
  const auto handled = [](const std::string& queue) {
    FakeCalls calls = fake();
    for (std::uint32_t length = 10; length < 14; ++length) calls.arrive("a", 3, length);
    calls.run(
        program_of(R"({"queue": )" + queue + R"(, "on": [{"kind": "item", "do": [{"forward": "item", "to": "b"}]}]})"));
    return calls.done;
  };
  CHECK(handled(R"({"at_most": 2, "drop_oldest": true})") ==
        Lines{"send 3 to b 10", "send 3 to b 12", "send 3 to b 13"});
  CHECK(handled(R"({"at_most": 0, "drop_oldest": true})") == Lines{"send 3 to b 10"});
  CHECK(handled(R"({"at_most": 2})") == Lines{"send 3 to b 10", "send 3 to b 11", "send 3 to b 12"});
}

TEST_CASE("behaviour: a refused call can be answered, by the steps of the queue alone", "[scenarios]") {
  const auto replies = [](const std::string& steps) {
    FakeCalls calls = fake();
    calls.arrive("a", 1, 20, tag(1, 1), true);
    calls.arrive_after(1);
    calls.arrive("b", 1, 20, tag(1, 2), true);  // of the same request
    calls.arrive_after(2);
    calls.arrive("b", 5, 20, tag(1, 3));  // while the process waits
    calls.run(program_of(R"({"queue": {"at_most": 0, "do": )" + steps + R"(}, "on": [
        {"kind": "ask", "do": [{"compute_s": 0.001}]},
        {"kind": "other", "do": [{"reply": "answer", "bytes": 10}]}]})"));
    return calls.done;
  };
  CHECK(replies(R"([{"if_kind": "ask", "do": [{"reply": "end", "bytes": 1}]}])") ==
        Lines{"compute 1 ms", "reply 4 on link 2", "reply 2 on link 1"});
  CHECK(replies("[]") == Lines{"compute 1 ms", "reply 2 on link 1"});
}

TEST_CASE("behaviour: a limited queue has room for messages that a wait takes", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 3, 10);
  calls.arrive_after(1);
  for (int i = 0; i < 3; ++i) calls.arrive("a", 2, 10);
  calls.run(program_of(R"({"queue": {"at_most": 0, "do": [{"compute_s": 9}]}, "on": [
      {"kind": "item", "do": [{"compute_s": 0.001}, {"wait": "answer", "count": 3}, {"compute_s": 0.002}]}]})"));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 2 ms"});
}

// ---- several kinds

TEST_CASE("behaviour: a wait takes the first message of any of its kinds, and steps can tell which", "[scenarios]") {
  FakeCalls calls = fake();
  for (const std::uint32_t code : {3u, 2u, 4u}) calls.arrive("a", code, 10);
  calls.run(program_of(R"({"start": [{"repeat": 2, "do": [{"wait": ["answer", "end"]},
      {"if_kind": "answer", "do": [{"compute_s": 0.001}], "else": [{"compute_s": 0.002}]}]}],
      "on": [{"kind": ["other", "item"], "do": [{"if_kind": ["item", "ask"], "do": [{"compute_s": 0.003}]}]}]})"));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 2 ms", "compute 3 ms"});
}

TEST_CASE("behaviour: a process says what it waits for", "[scenarios]") {
  const auto awaited = [](const std::string& program) {
    FakeCalls calls = fake();
    calls.run(program_of(program));
    return calls.awaited;
  };
  CHECK(awaited(R"({"start": [{"wait": "answer"}]})") == "'answer'");
  CHECK(awaited(R"({"start": [{"wait": ["answer", "end"]}]})") == "'answer' or 'end'");
  CHECK(awaited(R"({"start": [{"wait": "any"}]})") == "a message");
  CHECK(awaited(R"({"start": [{"call": "ask", "to": "a", "bytes": 1}]})") == "'ask'");
  CHECK(awaited(R"({"on": [{"kind": "ask", "from": "a", "do": []}, {"kind": ["ask", "item"], "do": []}]})") ==
        "'ask' or 'item'");
}

// ---- comparisons and picks

TEST_CASE("behaviour: a variable is compared in one of three ways", "[scenarios]") {
  const auto done = [](const std::string& comparison) {
    FakeCalls calls = fake();
    calls.run(program_of(R"({"variables": {"n": 0}, "start": [{"repeat": 3, "do": [{"count": "n"},
        {"if": "n", )" + comparison +
                         R"(, "do": [{"compute_s": 0.001}], "else": [{"compute_s": 0.002}]}]}]})"));
    return calls.done;
  };
  CHECK(done(R"("at_least": 2)") == Lines{"compute 2 ms", "compute 1 ms", "compute 1 ms", "end"});
  CHECK(done(R"("at_most": 2)") == Lines{"compute 1 ms", "compute 1 ms", "compute 2 ms", "end"});
  CHECK(done(R"("equals": 2)") == Lines{"compute 2 ms", "compute 1 ms", "compute 2 ms", "end"});
}

TEST_CASE("behaviour: the member with the least outstanding messages gets the next one", "[scenarios]") {
  FakeCalls calls = fake();
  for (int i = 0; i < 4; ++i) calls.arrive("a", 3, 10);
  calls.arrive("g_2", 2, 10);
  for (int i = 0; i < 2; ++i) calls.arrive("b", 3, 10);
  calls.arrive("g_3", 2, 10);
  calls.arrive("g_3", 2, 10);  // of one that owes nothing
  calls.arrive("b", 3, 10);
  calls.run(program_of(R"({"on": [
      {"kind": "item", "do": [{"send": "ask", "to": "g", "bytes": 100, "pick": "least_outstanding"}]},
      {"kind": "answer", "do": []}]})"));
  CHECK(calls.done == Lines{"send 1 to g_1 100", "send 1 to g_2 100", "send 1 to g_3 100", "send 1 to g_1 100",
                            "send 1 to g_2 100", "send 1 to g_3 100", "send 1 to g_3 100"});
}

TEST_CASE("behaviour: a key belongs to the same member, whichever process sends", "[scenarios]") {
  CHECK(run_start(R"([{"send": "ask", "to": "g", "bytes": 1, "pick": "by_key", "key": 0},
                      {"send": "ask", "to": "g", "bytes": 1, "pick": "by_key", "key": 4},
                      {"send": "ask", "to": "g", "bytes": 1, "pick": "by_key", "key": {"choice": [5]}}])") ==
        Lines{"send 1 to g_1 1", "send 1 to g_2 1", "send 1 to g_3 1", "end"});
  FakeCalls calls = fake();
  calls.arrive("a", 1, 100, tag(7, 1));
  calls.arrive("b", 1, 100, tag(9, 2));
  calls.arrive("b", 1, 100, tag(7, 3));
  calls.run(program_of(R"({"on": [{"kind": "ask", "do": [{"forward": "ask", "to": "g", "pick": "by_key"}]}]})"));
  CHECK(calls.done == Lines{"send 1 to g_2 100", "send 1 to g_1 100", "send 1 to g_2 100"});
}
