// Loops, tries, calculations, numbers in messages, calls at once and priorities, performed against a scripted system.
#include <cmath>

#include "model/misuse.hpp"
#include "scenarios/behaviour/request_tag.hpp"
#include "tests/scenarios/subject.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

Lines run(const std::string& program) {
  FakeCalls calls = fake();
  calls.run(program_of(program));
  return calls.done;
}

// What ends the run.
std::string misuse_of(const std::string& program, FakeCalls calls = fake()) {
  try {
    calls.run(program_of(program));
  } catch (const Misuse& misuse) {
    return misuse.what;
  }
  return "none";
}

std::vector<std::byte> carrying(std::uint64_t request, const CarriedNumbers& numbers) {
  return encode(RequestTag{request, request}, numbers);
}

}  // namespace

TEST_CASE("behaviour: a loop goes on as long as its comparison holds", "[scenarios]") {
  CHECK(run(R"({"variables": {"n": 1}, "start": [
      {"while": "n", "at_most": 3, "do": [{"compute_s": 0.001}, {"count": "n"}]},
      {"while": "n", "at_least": 100, "do": [{"compute_s": 0.002}]},
      {"while": "${n % 2}", "equals": 0, "do": [{"compute_s": 0.003}, {"set": "n", "value": "${n + 3}"}]}]})") ==
        Lines{"compute 1 ms", "compute 1 ms", "compute 1 ms", "compute 3 ms", "end"});
}

TEST_CASE("behaviour: a loop without end in which no time passes ends the run, and its line is named", "[scenarios]") {
  const std::string endless = R"({"variables": {"n": 1}, "start": [
      {"while": "n", "at_least": 0, "do": [{"count": "n"}, {"compute_s": 0}]}]})";
  CHECK(misuse_of(endless) ==
        "process 'p' has done a loop 1000000 times in which it neither used time nor received a message; let the loop "
        "end, compute or sleep (the step at line 4)");
}

TEST_CASE("behaviour: a wait of no time takes what is there, and gives up nothing", "[scenarios]") {
  const std::string program = R"({"variables": {"n": 0}, "start": [
      {"wait": "item", "timeout_s": 0, "on_timeout": [{"compute_s": 0.001}]},
      {"compute_s": 0.002},
      {"wait": "item", "timeout_s": 0, "on_timeout": [{"compute_s": 0.004}]},
      {"wait": "item", "timeout_s": "$n", "on_timeout": [{"compute_s": 0.005}]},
      {"wait": "item"}, {"compute_s": 0.006}]})";
  FakeCalls calls = fake();
  calls.arrive_after(1);
  calls.arrive("a", 5, 20);  // of another kind: stays
  calls.arrive("a", 3, 20);
  calls.arrive_after(3);
  calls.arrive("a", 3, 20);
  calls.run(program_of(program));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 2 ms", "compute 5 ms", "compute 6 ms", "end"});
}

TEST_CASE("behaviour: times, sizes, repetitions and variables are calculated when they are needed", "[scenarios]") {
  CHECK(run(R"({"variables": {"n": 1, "delay": 0.01}, "start": [
      {"repeat": "${n + 2}", "do": [{"sleep_s": "$delay"}, {"set": "delay", "value": "${min(0.03, delay * 2)}"}]},
      {"send": "ask", "to": "a", "bytes": "${10 * n + 0.4}"}, {"count": "n", "by": "${n + 1}"},
      {"send": "ask", "to": "a", "bytes": "${floor(n / 2) + max(n, 2)}"},
      {"set": "n", "value": {"choice": [7]}}, {"compute_s": {"uniform": ["${n / 1000}", "${0.007 * 1}"]}}]})") ==
        Lines{"sleep 10 ms", "sleep 20 ms", "sleep 30 ms", "send 1 to a 10", "send 1 to a 4", "compute 7 ms", "end"});
}

TEST_CASE("behaviour: a calculation that has no value ends the run, and its line is named", "[scenarios]") {
  const auto failure = [](const std::string& step) {
    return misuse_of(R"({"variables": {"n": 0}, "start": [
      )" + step + "]}");
  };
  CHECK(failure(R"({"compute_s": "${1 / n}"})") == "process 'p': '${1 / n}': division by 0 (the step at line 4)");
  CHECK(failure(R"({"compute_s": "${n - 1}"})") ==
        "process 'p': '${n - 1}' must be at least 0, not -1 (the step at line 4)");
  CHECK(failure(R"({"repeat": "${n + 0.5}", "do": []})") ==
        "process 'p': '${n + 0.5}' must be a whole number, not 0.5 (the step at line 4)");
  CHECK(failure(R"({"compute_s": {"uniform": [1, "$n"]}})") ==
        "process 'p': 'uniform' must be [low, high], not [1, 0] (the step at line 4)");
  CHECK(failure(R"({"compute_s": {"pareto": {"scale": 2, "shape": 1, "at_most": "${n + 1}"}}})") ==
        "process 'p': 'at_most' of 'pareto' must be at least its scale, 2, not 1 (the step at line 4)");
  CHECK(failure(R"({"send": "ask", "to": "a", "bytes": "${n + 20}", "with": {"term": 1}})") ==
        "process 'p': a 'ask' of 20 bytes has no room for the 1 number that it carries; it needs 28 bytes (the step at "
        "line 4)");
  CHECK(
      failure(
          R"({"set": "n", "value": "${answer.term}"}, {"send": "ask", "to": "a", "bytes": 40, "with": {"term": 1}})") ==
      "process 'p': 'answer.term': the last answer to a call does not carry it (the step at line 4)");
}

TEST_CASE("behaviour: a request keeps its variables, whatever comes between", "[scenarios]") {
  FakeCalls calls = fake();
  for (const std::uint64_t request : {1, 2, 1, 1, 2}) calls.arrive("a", 3, 20, carrying(request, {}));
  calls.run(program_of(R"({"request_variables": {"n": 0}, "on": [{"kind": "item", "do": [
      {"count": "n"}, {"compute_s": "${0.001 * n}"}]}]})"));
  CHECK(calls.done == Lines{"compute 1 ms", "compute 1 ms", "compute 2 ms", "compute 3 ms", "compute 2 ms"});
}

TEST_CASE("behaviour: numbers travel in messages, and with those that are passed on", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 1, 52, carrying(1, {{0, 4}, {1, 9}, {2, 2.5}}), true);
  calls.run(program_of(R"({"variables": {"n": 1}, "on": [{"kind": "ask", "do": [
      {"if": "message.term", "at_least": "${n + 3}", "do": [{"set": "n", "value": "${message.term + message.log}"}]},
      {"forward": "item", "to": "b", "with": {"term": "$n", "log": 9, "part": {"choice": [3]}}},
      {"send": "other", "to": "b", "bytes": 28, "with": {"term": "${-n}"}},
      {"reply": "answer", "bytes": 40, "with": {"part": "${message.part * 2}"}}]}]})"));
  REQUIRE(calls.sent.size() == 3);
  CHECK(decode_carried(calls.sent[0].data) == CarriedNumbers{{0, 13}, {1, 9}, {2, 3}});
  CHECK(decode_carried(calls.sent[1].data) == CarriedNumbers{{0, -13}});
  CHECK(decode_carried(calls.sent[2].data) == CarriedNumbers{{2, 5}});
  CHECK(decode_request_tag(calls.sent[0].data)->request == 1);
}

TEST_CASE("behaviour: a number that a message does not carry cannot be read", "[scenarios]") {
  FakeCalls calls = fake();
  calls.arrive("a", 3, 20, carrying(1, {}));
  const std::string program = R"({"on": [{"kind": "item", "do": [{"compute_s": "${message.term}"},
      {"send": "item", "to": "b", "bytes": 40, "with": {"term": 1}}]}]})";
  CHECK(misuse_of(program, calls) ==
        "process 'p': 'message.term': the message being handled, a 'item', does not carry it (the step at line 3)");
}

TEST_CASE("behaviour: a group is called at once, and one answer that is missing is enough for the timeout",
          "[scenarios]") {
  const std::string call = R"({"call": "ask", "to": "g", "pick": "all", "bytes": 20, "at_once": true)";
  CHECK(
      run_start("[" + call + R"(}, {"compute_s": 0.001}])") ==
      Lines{"call at once 1 to g_1 20", "call at once 1 to g_2 20", "call at once 1 to g_3 20", "compute 1 ms", "end"});
  FakeCalls calls = fake();
  calls.silent = "g_2";
  calls.run(program_of(R"({"start": [)" + call + R"(, "timeout_s": 0.5, "on_timeout": [{"compute_s": 0.002}]}]})"));
  CHECK(calls.done == Lines{"call at once until 500 ms 1 to g_1 20", "call at once until 500 ms 1 to g_2 20",
                            "call at once until 500 ms 1 to g_3 20", "compute 2 ms", "end"});
}

TEST_CASE("behaviour: of the messages that wait, handlers take the one with the highest priority", "[scenarios]") {
  const std::string handlers = R"("variables": {"high": 2}, "on": [
      {"kind": "item", "do": [{"compute_s": 0.003}]},
      {"kind": "end", "priority": "$high", "do": [{"compute_s": 0.004}]},
      {"kind": "ask", "priority": -1, "do": [{"compute_s": 0.001}]}])";
  for (const std::string queue : {"", R"("queue": {"at_most": 9}, )"}) {
    FakeCalls calls = fake();
    for (const std::uint32_t kind : {1, 3, 4, 3, 4, 1}) calls.arrive("a", kind, 20);
    calls.run(program_of("{" + queue + handlers + "}"));
    CHECK(calls.done ==
          Lines{"compute 4 ms", "compute 4 ms", "compute 3 ms", "compute 3 ms", "compute 1 ms", "compute 1 ms"});
  }
}
