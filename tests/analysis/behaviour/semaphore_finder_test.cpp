#include "analysis/behaviour/semaphore_finder.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

enum class Next : std::uint8_t { first_come, last_come };

// Clients that take units of a process and give them back, in random order.
class Shared {
 public:
  Shared(int clients, int units, Next next = Next::first_come) : units_(units), next_(next), script_({"red", "blue"}) {
    script_.process("lock", "blue", "lock");
    for (int i = 0; i < clients; ++i) {
      idle_.insert("client_" + std::to_string(i));
      script_.process("client_" + std::to_string(i), "red", "client");
    }
    script_.info.channel_sets.resize(1);
  }

  void play(std::uint64_t seed, int steps) {
    Random random(seed);
    for (int i = 0; i < steps; ++i) {
      const bool gives = idle_.empty() || (!holding_.empty() && random.below(2) == 0);
      auto& from = gives ? holding_ : idle_;
      if (from.empty()) break;
      auto chosen = from.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(from.size())));
      const std::string client = *chosen;
      from.erase(chosen);
      gives ? give(client) : take(client);
    }
  }

  void give_all() {
    while (!holding_.empty()) give(*holding_.begin());
  }

  // Answers one that waits although no unit is left.
  void grant_without_unit() {
    REQUIRE_FALSE(waiting_.empty());
    grant_next();
  }

  bool one_waits() const { return !waiting_.empty(); }
  History history() const { return history_of(script_.info, script_.events); }

 private:
  void ask(const std::string& client, double work_ms) {
    const auto message = script_.send(client, work_ms, "lock");
    script_.receive_call("lock", 0, 0);
    script_.receive("lock", 0, message);
  }
  void take(const std::string& client) {
    ask(client, 1);
    waiting_.push_back(client);
    if (units_ > 0) --units_, grant_next();
  }
  void give(const std::string client) {
    holding_.erase(client);
    ask(client, 5);
    idle_.insert(client);
    if (waiting_.empty()) {
      ++units_;
    } else {
      grant_next();
    }
  }
  void grant_next() {
    const auto next = next_ == Next::first_come ? waiting_.begin() : std::prev(waiting_.end());
    const std::string client = *next;
    waiting_.erase(next);
    const auto answer = script_.send("lock", 0, client);
    script_.receive(client, 0, answer);
    holding_.insert(client);
  }

  int units_;
  Next next_;
  std::set<std::string> idle_, holding_;
  std::deque<std::string> waiting_;
  EventScript script_;
};

std::vector<RequestQueue> semaphores_of(const History& history) {
  return find_semaphores(history, std::vector<bool>(history.process_count(), false));
}

}  // namespace

TEST_CASE("semaphores: the number of units follows from the takes that wait", "[behaviour]") {
  const int units = GENERATE(1, 2, 3);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u, 5u);
  Shared shared(6, units);
  shared.play(seed, 120);
  shared.give_all();
  const History history = shared.history();
  const auto found = semaphores_of(history);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].semaphore);
  CHECK(found[0].semaphore->units == units);

  // The replay of the traced placement is the trace.
  const Target here = traced_target(history);
  Roles roles;
  roles.queues = std::make_shared<const RequestQueues>(RequestQueues{found});
  const ReplayResult recorded = Replay(history, here).run(Order::recorded, here.machine_of);
  const ReplayResult replayed = Replay(history, here, roles).run(Order::role, here.machine_of);
  CHECK(replayed.not_performed == 0);
  CHECK(replayed.forced_receives == 0);
  CHECK(replayed.cpu_ns == recorded.cpu_ns);
}

TEST_CASE("semaphores: a process that answers in another order, or without a unit, is not one", "[behaviour]") {
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  Shared last_first(6, 1, Next::last_come);
  last_first.play(seed, 120);
  CHECK(semaphores_of(last_first.history()).empty());

  Shared generous(6, 1);
  generous.play(seed, 60);
  while (!generous.one_waits()) generous.play(seed + 100, 1);
  generous.grant_without_unit();
  generous.play(seed, 60);
  CHECK(semaphores_of(generous.history()).empty());
}

TEST_CASE("semaphores: a server that answers each request at once is not one", "[behaviour]") {
  Shared plenty(3, 3);
  plenty.play(1, 120);
  CHECK(semaphores_of(plenty.history()).empty());
}
