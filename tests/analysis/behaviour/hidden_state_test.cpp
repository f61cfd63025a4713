#include "analysis/behaviour/hidden_state.hpp"

#include "model/random.hpp"
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
  void look(double work_ms) { script_.receive_call("server", work_ms, 0); }
  void is_simulated() { script_.info.properties.scripted = true; }
  void answer(const std::string& client, double work_ms, std::uint32_t bytes = 100) {
    script_.receive(client, 0, script_.send("server", work_ms + charge_ms_, client, bytes));
  }
  void ask_store() {
    script_.receive("store", 0, script_.send("server", 1, "store"));
    script_.receive("server", 0, script_.send("store", 1, "server"));
  }

  void store_says() { script_.receive("server", 0, script_.send("store", 1, "server")); }
  void tell_store() { script_.receive("store", 0, script_.send("server", 1, "store")); }
  // What the server's messages cost it, in its CPU times and in the delay model.
  void charge(double sender_cpu_ms) {
    charge_ms_ = sender_cpu_ms;
    script_.info.delays.local.sender_cpu_s = *PiecewiseLinear::through({{1, sender_cpu_ms * 1e-3}});
  }

  HiddenState found(const std::vector<TimersOfProgram>& idle = {}) const {
    return find_hidden_state(history_of(script_.info, script_.events), Roles{}, idle);
  }

 private:
  double charge_ms_ = 0;
  EventScript script_;
};

const char* client(int i) { return i % 3 == 0 ? "one" : "other"; }

}  // namespace

TEST_CASE("hidden state: a server that does the same for each request hides nothing", "[behaviour]") {
  Served served;
  for (int i = 0; i < 12; ++i) {
    served.take(client(i));
    served.ask_store();
    served.answer(client(i), i % 2 == 0 ? 1 : 5);
  }
  CHECK(served.found().entries.empty());
  CHECK(served.found().expected_error().above == 0);
}

TEST_CASE("hidden state: a cache asks the store for some of the requests that look alike", "[behaviour]") {
  Served served;
  for (int i = 0; i < 12; ++i) {
    served.take(client(i));
    if (i % 5 < 2) served.ask_store();
    served.answer(client(i), 1);
  }
  const HiddenState found = served.found();
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].kind == Kind::memory);
  CHECK(found.entries[0].times == 6);        // the first was a miss
  CHECK(found.expected_error().above == 0);  // alternatives show it
}

TEST_CASE("hidden state: a cache that asks the store until its value has come reacts in phases", "[behaviour]") {
  const auto entries_with = [](auto asks_store) {
    Served served;
    for (int i = 0; i < 80; ++i) {
      served.take(client(i));
      if (asks_store(i)) served.ask_store();
      served.answer(client(i), 1);
    }
    return served.found().entries;
  };
  Random random(1);
  const auto in_phases = entries_with([](int i) { return i % 20 < 6; });
  const auto drawn = entries_with([&random](int /*i*/) { return random.chance(.3); });
  const auto every_third = entries_with([](int i) { return i % 3 == 0; });
  REQUIRE((in_phases.size() == 1 && drawn.size() == 1 && every_third.size() == 1));
  CHECK(in_phases[0].kind == Kind::phases);
  CHECK(in_phases[0].times == 56);
  CHECK(is_unknown(Kind::phases));
  CHECK(drawn[0].kind == Kind::memory);
  CHECK(every_third[0].kind == Kind::memory);
}

TEST_CASE("hidden state: a log that answers what it holds together batches, if it does not always hold as many",
          "[behaviour]") {
  Served served, always_two;
  for (int i = 0; i < 6; ++i) {
    for (Served* each : {&served, &always_two}) {
      each->take("one");
      each->take("other");
      each->answer("one", 5);
      each->answer("other", 0);
    }
    served.take("one");
    served.answer("one", 5);
  }
  const HiddenState found = served.found();
  CHECK(found.has(Kind::batches));
  CHECK(!found.has(Kind::refusals));
  CHECK(found.expected_error().below > found.expected_error().above);  // a run is rather slower
  CHECK(!always_two.found().has(Kind::batches));                       // a count
  CHECK(always_two.found().has(Kind::full_batches));
  CHECK(!found.has(Kind::full_batches));
  CHECK(always_two.found({{{0}, 1'000'000, 4}}).has(Kind::batches));  // the timer ends those that are not full
}

// A hub: readers join a list once, and each post of the store goes to some of them.
TEST_CASE("hidden state: what goes to all on a list are not answers to several requests at once", "[behaviour]") {
  Served served;
  served.take("one");
  served.take("other");
  for (int i = 0; i < 12; ++i) {
    served.store_says();
    served.answer("one", 1);
    if (i % 3 != 0) served.answer("other", 0);
  }
  CHECK(!served.found().has(Kind::batches));
  CHECK(!served.found().has(Kind::full_batches));
  CHECK(served.found().has(Kind::lists));
}

// The disk interface of the file system: it answers its client, and writes to a disk that had written to it before.
TEST_CASE("hidden state: an answer and a command to a disk are not a batch", "[behaviour]") {
  Served served;
  for (int i = 0; i < 12; ++i) {
    const bool is_write = i % 3 == 0;
    served.store_says();
    served.take(client(i));
    if (is_write) served.answer(client(i), 1);
    served.tell_store();
    if (!is_write) {
      served.store_says();
      served.answer(client(i), 1);
    }
  }
  CHECK(!served.found().has(Kind::batches));
  CHECK(served.found().expected_error().above == 0);
}

TEST_CASE("hidden state: a simulated process looks for messages between pieces of work", "[behaviour]") {
  Served served;
  for (int i = 0; i < 6; ++i) {
    served.take(client(i));
    served.look(1);
    served.look(1);
    served.answer(client(i), 1);
  }
  CHECK(served.found().entries.empty());  // of a real program that is told when to look, this may be one look too many
  served.is_simulated();
  const HiddenState found = served.found();
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].kind == Kind::looks);
  CHECK(found.entries[0].times == 12);
  CHECK(is_unknown(Kind::looks));
}

TEST_CASE("hidden state: answers of another size that cost nothing are refusals", "[behaviour]") {
  Served served;
  served.charge(GENERATE(0., .5));  // what a message costs is not work
  for (int i = 0; i < 6; ++i) {
    served.take("one");
    served.take("other");
    served.answer("other", 0, 20);
    served.take("other");
    served.answer("one", 5);
    served.answer("other", 5);
  }
  CHECK(served.found().has(Kind::refusals));
  CHECK(served.found().expected_error().above > served.found().expected_error().below);  // rather faster
  Served cheap;  // all answers of this program cost nothing: it passes something on
  for (int i = 0; i < 12; ++i) {
    cheap.take(client(i));
    cheap.answer(client(i), 0, i % 2 == 0 ? 20 : 100);
  }
  CHECK(!cheap.found().has(Kind::refusals));
}
