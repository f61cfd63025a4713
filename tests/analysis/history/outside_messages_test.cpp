#include "analysis/history/outside_messages.hpp"

#include <iterator>
#include <set>
#include <vector>

#include "model/random.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// A server that receives from a client inside the computation and from a user outside it.
class Server {
 public:
  template <typename ComesFromUser>
  Server(int messages, ComesFromUser comes_from_user) : history_(traced(messages, comes_from_user)) {
    outside_.begin(false);
    process_.takes_outside = true;
    for (std::uint32_t e = history_.first_event[kServer]; e < history_.first_event[kServer + 1]; ++e)
      if (history_.events[e].kind() == HistoryKind::receive) open_.insert(e);
  }

  std::uint32_t next() { return outside_.next(kServer, process_); }
  void receive(std::uint32_t e) {
    outside_.received(e);
    open_.erase(e);
  }
  // By looking at each.
  std::uint32_t first_open_from_user() const {
    for (const std::uint32_t e : open_)
      if (history_.events[e].match == kNoEvent) return e;
    return kNoEvent;
  }
  const std::set<std::uint32_t>& open() const { return open_; }

 private:
  static constexpr std::uint32_t kServer = 0;

  template <typename ComesFromUser>
  static History traced(int messages, ComesFromUser comes_from_user) {
    EventScript script({"red"});
    for (const char* name : {"server", "client", "user"}) script.process(name, "red");
    script.info.processes[2].in_computation = false;
    for (int i = 0; i < messages; ++i)
      script.receive("server", 1, script.send(comes_from_user(i) ? "user" : "client", 1, "server"));
    return history_of(script.info, script.events);
  }

  const History history_;
  const Roles roles_;
  const DestinationChoices choices_;
  const Destinations destinations_{history_, choices_};
  const ReplicaChoice replicas_{history_, {}};
  const WantedMessages wanted_{history_, roles_, destinations_, replicas_};
  OutsideMessages outside_{history_, wanted_};
  ReplayedProcess process_;
  std::set<std::uint32_t> open_;
};

}  // namespace

TEST_CASE("outside messages: the first that is open is next, in whatever order others were performed", "[history]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Server server(60, [&random](int) { return random.below(2) == 0; });
    while (!server.open().empty()) {
      const std::uint32_t next = server.next();
      REQUIRE(next == server.first_open_from_user());
      const bool takes_it = next != kNoEvent && random.below(2) == 0;
      const auto any = static_cast<std::ptrdiff_t>(random.below(server.open().size()));
      server.receive(takes_it ? next : *std::next(server.open().begin(), any));
    }
    REQUIRE(server.next() == kNoEvent);
  }
}

// Looking at all again for each would take minutes.
TEST_CASE("outside messages: very many are taken while an earlier RECEIVE waits", "[history]") {
  constexpr int kMessages = 1'000'000;
  Server server(kMessages, [](int i) { return i != 0; });
  const std::vector<std::uint32_t> all(server.open().begin(), server.open().end());
  std::size_t in_order = 0;
  for (int i = 1; i < kMessages; ++i) {
    const std::uint32_t next = server.next();
    in_order += next == all[static_cast<std::size_t>(i)];
    server.receive(next);
  }
  CHECK(in_order == kMessages - 1);
}
