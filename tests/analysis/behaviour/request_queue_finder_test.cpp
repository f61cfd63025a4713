#include "analysis/behaviour/request_queue_finder.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// A server that has two requests, and answers them one after the other.
class Served {
 public:
  Served() : script_({"red"}) {
    script_.process("server", "red", "server");
    for (const char* name : {"operator_1", "operator_2"}) script_.process(name, "red", "operator");
    for (const char* name : {"visitor_1", "visitor_2"}) script_.process(name, "red", "visitor");
  }

  // Both come, then `first` is answered. `waits_ms`: between the two, without work.
  void serve(const char* one, const char* other, const char* first, double waits_ms = 0) {
    take(one, 0);
    now_ms_ += waits_ms;
    take(other, waits_ms);
    for (const std::string client : {first, first == std::string(one) ? other : one})
      script_.receive(client, 0, script_.send("server", 2, client));
  }

  RequestQueues found() {
    script_.info.channel_sets.resize(1);
    const History history = history_of(script_.info, script_.events);
    return find_request_queues(history, std::vector<bool>(history.process_count(), false));
  }

 private:
  void take(const std::string& client, double after_ms) {
    script_.receive_call("server", 0, 0);
    script_.receive("server", 0, script_.send(client, after_ms, "server"));
  }

  EventScript script_;
  double now_ms_ = 0;
};

}  // namespace

TEST_CASE("queues: a server that takes requests of one program before those of another has a queue", "[behaviour]") {
  Served served;
  for (int i = 0; i < 30; ++i) {
    const char* op = i % 2 == 0 ? "operator_1" : "operator_2";
    i % 3 == 0 ? served.serve(op, "visitor_1", op) : served.serve("visitor_2", op, op);
  }
  const RequestQueues found = served.found();
  REQUIRE(found.queues.size() == 1);
  CHECK(found.queues[0].process == 0);
  CHECK(found.queues[0].work_of.size() == 60);
  CHECK(found.queues[0].before.size() == 2);
}

TEST_CASE("queues: clients of one program may have an order among themselves", "[behaviour]") {
  Served served;
  for (int i = 0; i < 30; ++i)
    i % 2 == 0 ? served.serve("visitor_1", "visitor_2", "visitor_1")
               : served.serve("visitor_2", "visitor_1", "visitor_1");
  const RequestQueues found = served.found();
  REQUIRE(found.queues.size() == 1);
  CHECK(found.queues[0].before.size() == 2);
}

TEST_CASE("queues: a choice that is not always the same, and a server that waits for more, have none", "[behaviour]") {
  Served by_chance, waits;
  for (int i = 0; i < 30; ++i) {
    by_chance.serve("visitor_1", "visitor_2", i % 5 < 3 ? "visitor_1" : "visitor_2");
    by_chance.serve("visitor_2", "visitor_1", i % 4 < 2 ? "visitor_1" : "visitor_2");
    waits.serve("visitor_1", "operator_1", "operator_1", 5);
  }
  CHECK(by_chance.found().empty());
  CHECK(waits.found().empty());
}

namespace {

// Clients ask a server, which asks a helper and waits for it; what comes meanwhile is only noted.
History deferring(int rounds, bool works_at_once) {
  EventScript script({"red"});
  for (const char* name : {"server", "helper", "one", "other"}) script.process(name, "red", name);
  script.info.channel_sets.resize(1);
  const auto take = [&](const auto& message) {
    script.receive_call("server", 0, 0);
    script.receive("server", 0, message);
  };
  const auto ask_helper = [&] { script.receive("helper", 0, script.send("server", 0, "helper")); };
  for (int i = 0; i < rounds; ++i) {
    take(script.send("one", 5, "server"));
    ask_helper();
    take(script.send("other", 1, "server"));
    if (works_at_once) ask_helper();
    take(script.send("helper", 3, "server"));
    script.receive("one", 0, script.send("server", 1, "one"));
    if (!works_at_once) ask_helper();
    take(script.send("helper", 3, "server"));
    script.receive("other", 0, script.send("server", 1, "other"));
  }
  return history_of(script.info, script.events);
}

}  // namespace

TEST_CASE("queues: a server that waits for another keeps the requests that come meanwhile, even if few come",
          "[behaviour]") {
  const History history = deferring(3, false);
  const RequestQueues found = find_request_queues(history, std::vector<bool>(history.process_count(), false));
  REQUIRE(found.queues.size() == 1);
  CHECK(found.queues[0].process == 0);
  for (const auto& [request, work] : found.queues[0].work_of) CHECK(work.events.size() == 3);
}

TEST_CASE("queues: a server that begins with each request when it comes keeps none", "[behaviour]") {
  const History history = deferring(3, true);
  CHECK(find_request_queues(history, std::vector<bool>(history.process_count(), false)).empty());
}
