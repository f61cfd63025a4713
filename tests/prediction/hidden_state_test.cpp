#include "analysis/prediction/hidden_state.hpp"

#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using Kind = HiddenState::Kind;

// A server with two clients, and a store that it may ask.
class Served {
 public:
  Served() : script_({"red"}) {
    script_.process("server", "red", "server");
    for (const char* name : {"one", "other"}) script_.process(name, "red", "client");
    script_.process("store", "red", "store");
  }

  void take(const std::string& client) { script_.receive("server", 0, script_.send(client, 1, "server")); }
  void answer(const std::string& client, double work_ms, std::uint32_t bytes = 100) {
    script_.receive(client, 0, script_.send("server", work_ms, client, bytes));
  }
  void ask_store() {
    script_.receive("store", 0, script_.send("server", 1, "store"));
    script_.receive("server", 0, script_.send("store", 1, "server"));
  }

  HiddenState found() const { return find_hidden_state(history_of(script_.info, script_.events), Roles{}); }

 private:
  EventScript script_;
};

const char* client(int i) { return i % 3 == 0 ? "one" : "other"; }

}  // namespace

TEST_CASE("hidden state: a server that does the same for each request hides nothing", "[prediction]") {
  Served served;
  for (int i = 0; i < 12; ++i) {
    served.take(client(i));
    served.ask_store();
    served.answer(client(i), i % 2 == 0 ? 1 : 5);
  }
  CHECK(served.found().entries.empty());
  CHECK(served.found().expected_error() == 0);
}

TEST_CASE("hidden state: a cache asks the store for some of the requests that look alike", "[prediction]") {
  Served served;
  for (int i = 0; i < 12; ++i) {
    served.take(client(i));
    if (i % 5 < 2) served.ask_store();
    served.answer(client(i), 1);
  }
  const HiddenState found = served.found();
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].kind == Kind::memory);
  CHECK(found.entries[0].times == 6);  // the first was a miss
  CHECK(found.expected_error() == 0);  // alternatives show it
}

TEST_CASE("hidden state: a log that answers what it holds together batches", "[prediction]") {
  Served served;
  for (int i = 0; i < 6; ++i) {
    served.take("one");
    served.take("other");
    served.answer("one", 5);
    served.answer("other", 0);
  }
  const HiddenState found = served.found();
  CHECK(found.has(Kind::batches));
  CHECK(!found.has(Kind::refusals));
  CHECK(found.expected_error() > .05);
}

TEST_CASE("hidden state: answers of another size that cost nothing are refusals", "[prediction]") {
  Served served;
  for (int i = 0; i < 6; ++i) {
    served.take("one");
    served.take("other");
    served.answer("other", 0, 20);
    served.take("other");
    served.answer("one", 5);
    served.answer("other", 5);
  }
  CHECK(served.found().has(Kind::refusals));
  Served cheap;  // all answers of this program cost nothing: it passes something on
  for (int i = 0; i < 12; ++i) {
    cheap.take(client(i));
    cheap.answer(client(i), 0, i % 2 == 0 ? 20 : 100);
  }
  CHECK(!cheap.found().has(Kind::refusals));
}
