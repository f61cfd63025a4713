#include "analysis/behaviour/gather_finder.hpp"

#include <memory>

#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr std::uint32_t kAnswers = 1;  // a channel set

// A searcher on red asks A and B, each on its own machine, and writes to an archive when both have answered.
class Searched {
 public:
  Searched() : script_({"red", "green", "blue"}) {
    script_.process("searcher", "red", "searcher");
    script_.process("A", "green", "shard");
    script_.process("B", "blue", "shard");
    script_.process("archive", "red", "archive");
    script_.info.channel_sets = {{}, {ChannelId{0}}};
  }

  EventScript& script() { return script_; }

  // A works for `a_ms`, B for `b_ms`, and the searcher takes the answer of the faster one first.
  void search(double a_ms, double b_ms) {
    const auto to_a = script_.send("searcher", 0, "A"), to_b = script_.send("searcher", 0, "B");
    script_.receive("A", 0, to_a);
    script_.receive("B", 0, to_b);
    const auto from_a = script_.send("A", a_ms, "searcher"), from_b = script_.send("B", b_ms, "searcher");
    take(a_ms <= b_ms ? from_a : from_b);
    take(a_ms <= b_ms ? from_b : from_a);
    script_.receive("archive", 0, script_.send("searcher", 1, "archive"));
  }

  History history() const { return history_of(script_.info, script_.events); }

 private:
  template <typename Message>
  void take(const Message& message) {
    script_.receive_call("searcher", 0, kAnswers);
    script_.receive("searcher", 0, message);
  }

  EventScript script_;
};

const std::vector<bool> kNotSettled(5, false);

// How long it takes where green is `factor` times as fast as in the trace.
double elapsed_ms(const History& history, double factor, const Roles& roles) {
  Target target = traced_target(history);
  target.machines[1].speed *= factor;
  const ReplayResult run = Replay(history, target, roles).run(Order::role, target.machine_of);
  REQUIRE(run.not_performed == 0);
  REQUIRE(run.forced_receives == 0);
  return run.elapsed_ns * 1e-6;
}

Roles gathering(const History& history) {
  Roles roles;
  roles.gathers = std::make_shared<const Gathers>(find_gathers(history, kNotSettled).gathers);
  return roles;
}

}  // namespace

TEST_CASE("gathers: a process goes on when the last answer is there, whichever was last in the trace", "[behaviour]") {
  Searched searched;
  for (int i = 0; i < 5; ++i) searched.search(10, 8);  // A is last
  const History history = searched.history();
  const Roles roles = gathering(history);
  const FoundGathers found = find_gathers(history, kNotSettled);
  REQUIRE(found.rules.size() == 1);
  CHECK(found.rules[0].times == 5);
  CHECK(found.rules[0].needed == 2);
  CHECK(elapsed_ms(history, 1, roles) == Approx(55));
  CHECK(elapsed_ms(history, 2, roles) == Approx(45));  // B is last, after 8 ms
  CHECK(elapsed_ms(history, 2, {}) < 5 * 9 - 1);       // arrival order merges after A's answer
}

TEST_CASE("gathers: each answer is taken once, whatever the speeds", "[behaviour]") {
  const double factor = GENERATE(.2, .7, 1., 1.3, 6.);
  Searched searched;
  for (const double a_ms : {3, 9, 1, 12, 5, 7}) searched.search(a_ms, 6);
  double expected_ms = 0;
  for (const double a_ms : {3, 9, 1, 12, 5, 7}) expected_ms += std::max(a_ms / factor, 6.) + 1;
  const History history = searched.history();
  CHECK(elapsed_ms(history, factor, gathering(history)) == Approx(expected_ms));
}

TEST_CASE("gathers: answers that the process reacts to one by one, too few, or of settled processes are not",
          "[behaviour]") {
  Searched few, settled;
  for (int i = 0; i < 3; ++i) few.search(1, 2);
  for (int i = 0; i < 5; ++i) settled.search(1, 2);
  CHECK(find_gathers(few.history(), kNotSettled).gathers.empty());
  CHECK(find_gathers(settled.history(), {true, false, false, false, false}).gathers.empty());
  Searched reacts;
  EventScript& script = reacts.script();
  for (int i = 0; i < 5; ++i) {
    const auto to_a = script.send("searcher", 0, "A"), to_b = script.send("searcher", 0, "B");
    script.receive("A", 0, to_a);
    script.receive("B", 0, to_b);
    for (const char* shard : {"A", "B"}) {
      const auto answer = script.send(shard, 1, "searcher");
      script.receive_call("searcher", 0, kAnswers);
      script.receive("searcher", 0, answer);
      script.receive("archive", 0, script.send("searcher", 1, "archive"));
    }
  }
  CHECK(find_gathers(reacts.history(), kNotSettled).gathers.empty());
}

namespace {

// A searcher that writes to an archive after the answer with that number, of two. The trace ends after `last_answers` of the last search.
History goes_on_after(const std::vector<std::pair<const char*, int>>& first_and_number, int last_answers = 2) {
  EventScript script({"red"});
  for (const char* name : {"searcher", "A", "B", "archive", "client"}) script.process(name, "red", name);
  script.info.channel_sets.resize(1);
  for (const auto& [first, number] : first_and_number) {
    script.receive("searcher", 0, script.send("client", 1, "searcher"));
    const auto to_a = script.send("searcher", 0, "A"), to_b = script.send("searcher", 0, "B");
    script.receive("A", 0, to_a);
    script.receive("B", 0, to_b);
    const int answers = &first == &first_and_number.back().first ? last_answers : 2;
    for (int i = 1; i <= answers; ++i) {
      const std::string from = (i == 1) == (std::string(first) == "A") ? "A" : "B";
      script.receive_call("searcher", 0, 0);
      script.receive("searcher", 0, script.send(from, 1, "searcher"));
      if (i == number) script.receive("archive", 0, script.send("searcher", 1, "archive"));
    }
  }
  return history_of(script.info, script.events);
}

}  // namespace

TEST_CASE("gathers: the evidence distinguishes one of two, all of two, the answer of one sender, and neither",
          "[behaviour]") {
  const auto of_two = find_gathers(goes_on_after({{"A", 1}, {"B", 1}, {"A", 1}, {"B", 1}}), kNotSettled);
  REQUIRE(of_two.rules.size() == 1);
  CHECK(of_two.rules[0].needed == 1);
  const auto all = find_gathers(goes_on_after({{"A", 2}, {"B", 2}, {"A", 2}, {"B", 2}}), kNotSettled);
  REQUIRE(all.rules.size() == 1);
  CHECK(all.rules[0].needed == 2);
  CHECK_FALSE(all.rules[0].or_by_sender);
  const auto in_one_order = find_gathers(goes_on_after({{"A", 2}, {"A", 2}, {"A", 2}, {"A", 2}}), kNotSettled);
  REQUIRE(in_one_order.rules.size() == 1);
  CHECK(in_one_order.rules[0].or_by_sender);  // it may have waited for B alone
  const auto of_A = find_gathers(goes_on_after({{"A", 1}, {"B", 2}, {"A", 1}, {"B", 2}}), kNotSettled);
  CHECK(of_A.rules.empty());
  CHECK(of_A.open.empty());
  const auto neither =
      find_gathers(goes_on_after({{"A", 1}, {"B", 1}, {"A", 2}, {"B", 2}, {"A", 1}, {"A", 2}}), kNotSettled);
  CHECK(neither.rules.empty());
  CHECK(neither.open.size() == 1);
}

TEST_CASE("gathers: an answer that the trace ends before belongs to its gathering", "[behaviour]") {
  const History history = goes_on_after({{"A", 1}, {"B", 1}, {"A", 1}, {"B", 1}, {"A", 1}}, 1);
  const FoundGathers found = find_gathers(history, kNotSettled);
  REQUIRE(found.rules.size() == 1);
  CHECK(found.rules[0].times == 5);
  REQUIRE(found.gathers.cut_off().size() == 1);
  const Gathers::CutOff& last = found.gathers.cut_off().front();
  CHECK(last.needed == 1);
  CHECK(last.missing == 1);
  CHECK(found.gathers.answers(last.gathering) == 1);
}
