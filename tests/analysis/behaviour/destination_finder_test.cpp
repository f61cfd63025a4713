#include "analysis/behaviour/destination_finder.hpp"

#include <optional>
#include <string>
#include <vector>

#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Requests of two clients, passed on to one of two back ends, whose answers are passed back.
class Balanced {
 public:
  Balanced() : script_({"red"}) {
    script_.process("balancer", "red", "balancer");
    for (const char* name : {"back_1", "back_2"}) script_.process(name, "red", "back");
    for (const char* name : {"one", "other"}) script_.process(name, "red", "client");
  }

  // A back end that has failed takes no request.
  void fail(const std::string& client, const std::string& back) {
    script_.receive("balancer", 0, script_.send(client, 1, "balancer"));
    script_.receive(back, 0, script_.send("balancer", 1, back));
  }

  void pass(const std::string& client, const std::string& back, std::uint32_t bytes = 10) {
    script_.receive("balancer", 0, script_.send(client, 1, "balancer", bytes));
    script_.receive(back, 0, script_.send("balancer", 1, back, bytes));
    script_.receive("balancer", 0, script_.send(back, 1, "balancer", 50));
    script_.receive(client, 0, script_.send("balancer", 1, client, 50));
  }

  FoundChoices found() const {
    const History history = history_of(script_.info, script_.events);
    const std::size_t count = history.process_count();
    return find_choices(history, std::vector<bool>(count, true), std::vector<bool>(count, false));
  }

 private:
  EventScript script_;
};

const char* turn(int i) { return i % 2 == 0 ? "back_1" : "back_2"; }

}  // namespace

TEST_CASE("turns: requests that go to each back end in its turn are found, and their answers are not", "[behaviour]") {
  Balanced balanced;
  for (int i = 0; i < 12; ++i) balanced.pass(i % 3 == 0 ? "one" : "other", turn(i));
  const FoundChoices found = balanced.found();
  REQUIRE(found.known.choices.size() == 1);
  CHECK(found.known.choices[0].process == 0);
  CHECK(found.known.choices[0].members == std::vector<std::uint32_t>{1, 2});
  CHECK(found.known.choices[0].sends.size() == 12);
}

TEST_CASE("turns: a process that counts small and large requests each for themselves has two choices", "[behaviour]") {
  Balanced balanced;
  int small = 0, large = 1;
  for (int i = 0; i < 30; ++i) {
    const bool is_large = i % 3 == 0 || i % 7 == 0;
    balanced.pass(i % 4 == 0 ? "one" : "other", turn(is_large ? large++ : small++), is_large ? 500 : 10);
  }
  CHECK(balanced.found().known.choices.size() == 2);
}

TEST_CASE("turns: requests of two sizes may be counted together, beside others of a third", "[behaviour]") {
  Random random = Random::stream(2, "sizes");
  Balanced balanced;
  int small = 0, large = 0;
  for (int i = 0; i < 60; ++i) {
    const bool is_large = random.chance(.4);
    const std::uint32_t bytes = is_large ? 500 : random.chance(.5) ? 10 : 20;
    balanced.pass(i % 3 == 0 ? "one" : "other", turn(is_large ? large++ : small++), bytes);
  }
  const FoundChoices found = balanced.found();
  REQUIRE(found.known.choices.size() == 2);
  CHECK(found.known.choices[0].sends.size() + found.known.choices[1].sends.size() == 60);
}

TEST_CASE("turns: requests that go to the back end that owes the fewest answers are found", "[behaviour]") {
  // back_1 keeps every second request twice as long, so that back_2 often owes fewer.
  EventScript script({"red"});
  script.process("balancer", "red", "balancer");
  for (const char* name : {"back_1", "back_2"}) script.process(name, "red", "back");
  for (const char* name : {"one", "other"}) script.process(name, "red", "client");
  for (int i = 0; i < 12; ++i) {
    const auto pass = [&](const char* client, const char* back) {
      script.receive("balancer", 0, script.send(client, 1, "balancer"));
      script.receive(back, 0, script.send("balancer", 1, back));
      return script.send(back, 1, "balancer");
    };
    const auto slow = pass("one", "back_1");
    script.receive("balancer", 0, pass("other", "back_2"));
    script.receive("balancer", 0, pass("one", "back_2"));  // back_1 owes one
    script.receive("balancer", 0, slow);
  }
  const History history = history_of(script.info, script.events);
  const std::vector<bool> all(history.process_count(), true), none(history.process_count(), false);
  const FoundChoices found = find_choices(history, all, none);
  REQUIRE(found.known.choices.size() == 1);
  CHECK(found.known.choices[0].rule == DestinationChoice::Rule::least_outstanding);
  CHECK(found.known.choices[0].sends.size() == 36);
}

TEST_CASE("turns: a back end that failed is not the busier one", "[behaviour]") {
  Balanced balanced;
  for (int i = 0; i < 6; ++i) balanced.pass(i % 2 == 0 ? "one" : "other", "back_1");
  balanced.fail("one", "back_1");
  for (int i = 0; i < 20; ++i) balanced.pass(i % 2 == 0 ? "one" : "other", "back_2");
  CHECK(balanced.found().known.choices.empty());
}

TEST_CASE("turns: where few requests meet many back ends, those in turn are not for the least busy", "[behaviour]") {
  // Small and large requests are counted each for themselves, and look alike: no turn is left to see.
  EventScript script({"red"});
  script.process("balancer", "red", "balancer");
  const std::vector<std::string> backs = {"back_1", "back_2", "back_3", "back_4", "back_5"};
  for (const auto& back : backs) script.process(back, "red", "back");
  for (const char* name : {"one", "other"}) script.process(name, "red", "client");
  std::size_t small = 0, large = 0;
  std::optional<EventScript::Sent> open;
  for (int i = 0; i < 60; ++i) {
    script.receive("balancer", 0, script.send(i % 2 == 0 ? "one" : "other", 1, "balancer"));
    const auto& back = backs[(i % 3 == 0 ? large++ : small++) % backs.size()];
    const auto request = script.send("balancer", 1, back);
    if (open) script.receive("balancer", 0, *open);
    script.receive(back, 0, request);
    open = script.send(back, 1, "balancer");
  }
  const History history = history_of(script.info, script.events);
  const std::vector<bool> all(history.process_count(), true), none(history.process_count(), false);
  CHECK(find_choices(history, all, none).known.empty());
}

TEST_CASE("turns: what one balancer shows holds for another of its program that sends too little to show it",
          "[behaviour]") {
  const int out_of_turn = GENERATE(-1, 3);
  EventScript script({"red"});
  for (const char* name : {"balancer_1", "balancer_2"}) script.process(name, "red", "balancer");
  for (const char* name : {"back_1", "back_2"}) script.process(name, "red", "back");
  for (const char* name : {"one", "other"}) script.process(name, "red", "client");
  const auto pass = [&](const std::string& balancer, int request, const std::string& back) {
    script.receive(balancer, 0, script.send(request % 3 == 0 ? "one" : "other", 1, balancer));
    script.receive(back, 0, script.send(balancer, 1, back));
  };
  for (int i = 0; i < 12; ++i) pass("balancer_1", i, turn(i));
  for (int i = 0; i < 5; ++i) pass("balancer_2", i, turn(i == out_of_turn ? i : i + 1));
  const History history = history_of(script.info, script.events);
  const std::vector<bool> all(history.process_count(), true), none(history.process_count(), false);
  const auto choices = find_choices(history, all, none).known.choices;
  REQUIRE(choices.size() == (out_of_turn < 0 ? 2 : 1));
  if (out_of_turn >= 0) return;
  CHECK(choices[1].process == 1);
  CHECK(choices[1].members == std::vector<std::uint32_t>{3, 2});  // its first request went to back_2
  CHECK(choices[1].number == choices[0].number);
}

TEST_CASE("turns: one request out of turn, or too few to tell, and there are none", "[behaviour]") {
  for (const int out_of_turn : {3, 11}) {
    Balanced balanced;
    for (int i = 0; i < 12; ++i) balanced.pass(i % 3 == 0 ? "one" : "other", turn(i == out_of_turn ? i + 1 : i));
    CHECK(balanced.found().known.empty());
  }
  Balanced few;
  for (int i = 0; i < 9; ++i) few.pass(i % 3 == 0 ? "one" : "other", turn(i));
  CHECK(few.found().known.empty());
}

TEST_CASE("turns: a choice by the client or by the size is not open, one by a coin is", "[behaviour]") {
  Random random = Random::stream(1, "coin");
  Balanced by_client, by_size, by_coin;
  for (int i = 0; i < 40; ++i) {
    const bool heads = random.chance(.5);
    const char* client = heads ? "one" : "other";
    by_client.pass(client, heads ? "back_1" : "back_2");
    by_size.pass(i % 2 == 0 ? "one" : "other", heads ? "back_1" : "back_2", heads ? 10 : 20);
    by_coin.pass(i % 2 == 0 ? "one" : "other", heads ? "back_1" : "back_2");
  }
  CHECK(by_client.found().all.empty());
  CHECK(by_size.found().all.empty());
  const FoundChoices found = by_coin.found();
  CHECK(found.known.empty());
  REQUIRE(found.all.choices.size() == 1);
  CHECK(found.all.choices[0].members.size() == 40);
}

TEST_CASE("turns: what goes to all back ends at once is not in turn, and is not for the least busy", "[behaviour]") {
  EventScript script({"red"});
  for (const char* name : {"front", "back_1", "back_2"}) script.process(name, "red", name[0] == 'b' ? "back" : "front");
  script.process("client", "red", "client");
  for (int i = 0; i < 20; ++i) {
    script.receive("front", 0, script.send("client", 1, "front"));
    const auto first = script.send("front", 0, "back_1"), second = script.send("front", 0, "back_2");
    script.receive("back_1", 0, first);
    script.receive("back_2", 0, second);
    for (const char* back : {"back_1", "back_2"}) script.receive("front", 0, script.send(back, 1, "front"));
    script.receive("client", 0, script.send("front", 1, "client"));
  }
  const History history = history_of(script.info, script.events);
  const std::size_t count = history.process_count();
  const FoundChoices found = find_choices(history, std::vector<bool>(count, true), std::vector<bool>(count, false));
  CHECK(found.all.choices.empty());
}
