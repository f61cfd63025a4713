#include "analysis/history/handouts.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct Shop {
  EventScript script{{"red"}};

  Shop() {
    for (const char* name : {"d", "w1", "w2"}) script.process(name, "red");
  }
  // The dispatcher gives a piece, the worker does it; returns the result on its way.
  EventScript::Sent piece(const std::string& worker) {
    const auto given = script.send("d", 0, worker);
    script.receive(worker, 0, given);
    return script.send(worker, 1, "d");
  }
  void data(const std::string& worker) { script.receive(worker, 0, script.send("d", 0, worker)); }
  void take(const EventScript::Sent& result) { script.receive("d", 0, result); }

  std::string kinds() const {
    const History history = history_of(script.info, script.events);
    std::string text;
    for (const Handout& handout : handouts_of(history, ProcessId{0}, [](std::uint32_t p) { return p > 0; })) {
      constexpr const char* kNames[] = {"nothing", "answer", "restart", "other"};
      text += (text.empty() ? "" : " ") + std::string(kNames[static_cast<int>(handout.kind)]);
    }
    return text;
  }
};

}  // namespace

TEST_CASE("handouts: answers while results are out, a new beginning when all are back", "[history]") {
  Shop shop;
  shop.data("w1");  // asks for nothing
  shop.data("w2");
  const auto first = shop.piece("w1"), second = shop.piece("w2");
  shop.take(first);
  const auto third = shop.piece("w1");
  shop.take(second);
  shop.take(third);
  const auto alone = shop.piece("w1");  // a level of one piece: w1 is the first worker, not the one that asks
  shop.take(alone);
  const auto fourth = shop.piece("w1"), fifth = shop.piece("w2");
  shop.take(fourth);
  shop.take(fifth);
  CHECK(shop.kinds() == "answer nothing restart restart nothing nothing");
}

TEST_CASE("handouts: a dispatcher that always answers has no synchronisation points", "[history]") {
  Shop shop;
  const auto first = shop.piece("w1");
  shop.take(first);
  const auto second = shop.piece("w1"), third = shop.piece("w1");
  (void)third;
  shop.take(second);
  CHECK(shop.kinds() == "restart nothing");
  Shop other;
  const auto one = other.piece("w1");
  other.take(one);
  const auto two = other.piece("w1");
  other.take(two);
  CHECK(other.kinds() == "answer nothing");
}

TEST_CASE("handouts: a message to another worker while results are out is neither", "[history]") {
  Shop shop;
  const auto first = shop.piece("w1"), second = shop.piece("w1");
  shop.take(first);
  const auto third = shop.piece("w2");
  shop.take(second);
  shop.take(third);
  CHECK(shop.kinds() == "other nothing nothing");
}
