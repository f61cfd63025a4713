// Lists of subscriptions: to which of the processes on them a message goes.
#include "scenarios/behaviour/behaviour.hpp"
#include "tests/scenarios/fake_calls.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using Lines = std::vector<std::string>;

// The program of process "p", to which a, b and the group g of 3 may write.
Program program_of(const std::string& text) {
  return process_of(scenario_of(R"({"name": "t", "machines": ["m"], "time_limit_s": 1,
    "kinds": {"ask": 1, "answer": 2, "item": 3, "end": 4},
    "programs": {"subject": )" + text +
                                R"(, "listener": {"on": [{"kind": "any", "do": []}]}},
    "processes": [{"name": "p", "program": "subject"},
                  {"name": "a", "program": "listener", "links": ["p"]},
                  {"name": "b", "program": "listener", "links": ["p"]},
                  {"name": "g", "count": 3, "program": "listener", "links": ["p"]}]})"),
                    "p")
      .program;
}

FakeCalls fake() { return FakeCalls("p", {"a", "b", "g_1", "g_2", "g_3"}); }

}  // namespace

TEST_CASE("behaviour: what is published goes to the processes that have subscribed, in their order", "[scenarios]") {
  FakeCalls calls = fake();
  const auto publish = [&] { calls.arrive("a", 3, 10); };
  publish();
  calls.arrive("g_2", 1, 10);
  calls.arrive("b", 1, 10);
  calls.arrive("g_2", 1, 10);  // once is enough
  publish();
  calls.arrive("g_2", 4, 10);
  calls.arrive("g_3", 4, 10);  // never subscribed
  publish();
  calls.run(program_of(R"({"subscriptions": ["news", "other"], "on": [{"kind": "ask", "do": [{"subscribe": "news"}]},
      {"kind": "end", "do": [{"unsubscribe": "news"}]},
      {"kind": "item", "do": [{"forward": "item", "to": "news", "pick": "all"},
                              {"send": "item", "to": "other", "bytes": 1}]}]})"));
  CHECK(calls.done == Lines{"send 3 to g_2 10", "send 3 to b 10", "send 3 to b 10"});
}

TEST_CASE("behaviour: each subscriber has its turn when another has left or come", "[scenarios]") {
  FakeCalls calls = fake();
  const auto item = [&] { calls.arrive("a", 3, 10); };
  for (const auto* subscriber : {"g_1", "g_2", "g_3"}) calls.arrive(subscriber, 1, 10);
  item();                      // to g_1
  item();                      // to g_2
  calls.arrive("g_1", 4, 10);  // leaves; g_3 is next
  item();
  item();
  calls.arrive("g_1", 1, 10);  // comes back, behind g_3
  item();
  item();
  calls.arrive("g_3", 4, 10);  // leaves; the turn begins again
  item();
  calls.run(program_of(R"({"subscriptions": ["news"], "on": [{"kind": "ask", "do": [{"subscribe": "news"}]},
        {"kind": "end", "do": [{"unsubscribe": "news"}]},
        {"kind": "item", "do": [{"forward": "item", "to": "news", "pick": "in_turn"}]}]})"));
  CHECK(calls.done == Lines{"send 3 to g_1 10", "send 3 to g_2 10", "send 3 to g_3 10", "send 3 to g_2 10",
                            "send 3 to g_3 10", "send 3 to g_1 10", "send 3 to g_2 10"});
}
