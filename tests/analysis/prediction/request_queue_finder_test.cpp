#include "analysis/prediction/request_queue_finder.hpp"

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

TEST_CASE("queues: a server that takes requests of one program before those of another has a queue", "[prediction]") {
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

TEST_CASE("queues: clients of one program may have an order among themselves", "[prediction]") {
  Served served;
  for (int i = 0; i < 30; ++i)
    i % 2 == 0 ? served.serve("visitor_1", "visitor_2", "visitor_1")
               : served.serve("visitor_2", "visitor_1", "visitor_1");
  const RequestQueues found = served.found();
  REQUIRE(found.queues.size() == 1);
  CHECK(found.queues[0].before.size() == 2);
}

TEST_CASE("queues: a choice that is not always the same, and a server that waits for more, have none", "[prediction]") {
  Served by_chance, waits;
  for (int i = 0; i < 30; ++i) {
    by_chance.serve("visitor_1", "visitor_2", i % 5 < 3 ? "visitor_1" : "visitor_2");
    by_chance.serve("visitor_2", "visitor_1", i % 4 < 2 ? "visitor_1" : "visitor_2");
    waits.serve("visitor_1", "operator_1", "operator_1", 5);
  }
  CHECK(by_chance.found().empty());
  CHECK(waits.found().empty());
}
