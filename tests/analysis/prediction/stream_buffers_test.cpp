#include "analysis/history/stream_buffers.hpp"

#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "tests/support/build_history.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/event_script.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

constexpr std::uint32_t kHalfAPipe = 32'768;

// Two processes on machines of their own, joined by one channel in each direction.
class Joined {
 public:
  explicit Joined(ChannelMedium medium) : script_({"red", "green"}) {
    script_.process("A", "red");
    script_.process("B", "green");
    for (auto& channel : script_.info.channels) channel.medium = medium;
  }

  EventScript& script() { return script_; }

  // When each SEND of A happens in a replay, in milliseconds.
  std::vector<double> sends_of_a(Order order) const {
    const History history = history_of(script_.info, script_.events);
    std::vector<MachineId> places;
    for (const auto& process : history.info.processes) places.push_back(process.machine);
    const ReplayResult result = Replay(history, traced_target(history)).run(order, places, true);
    REQUIRE(result.not_performed == 0);
    REQUIRE(result.forced_receives == 0);
    std::vector<double> times;
    for (std::uint32_t e = history.first_event[0]; e < history.first_event[1]; ++e)
      if (history.events[e].kind() == HistoryKind::send) times.push_back(result.schedule->finished_ns[e] * 1e-6);
    return times;
  }

 private:
  EventScript script_;
};

// A writes at once what B needs 10 ms each for.
Joined ahead(ChannelMedium medium) {
  Joined joined(medium);
  std::vector<EventScript::Sent> sent;
  for (int i = 0; i < 6; ++i) sent.push_back(joined.script().send("A", 0, "B", kHalfAPipe));
  for (const auto& message : sent) joined.script().receive("B", 10, message);
  return joined;
}

}  // namespace

TEST_CASE("stream buffers: a sender that has filled a pipe goes on when its receiver has taken enough",
          "[prediction]") {
  for (const Order order : {Order::recorded, Order::arrival})
    CHECK(ahead(ChannelMedium::pipe).sends_of_a(order) == std::vector<double>{0, 0, 0, 10, 20, 30});
}

TEST_CASE("stream buffers: TCP and simulated channels have no limit", "[prediction]") {
  for (const ChannelMedium medium : {ChannelMedium::tcp, ChannelMedium::unknown})
    CHECK(ahead(medium).sends_of_a(Order::recorded) == std::vector<double>(6, 0));
}

TEST_CASE("stream buffers: a message that is larger than the pipe waits until it has been taken", "[prediction]") {
  Joined joined(ChannelMedium::pipe);
  const auto first = joined.script().send("A", 0, "B", 4 * kHalfAPipe), second = joined.script().send("A", 0, "B", 1);
  joined.script().receive("B", 7, first);
  joined.script().receive("B", 1, second);
  CHECK(joined.sends_of_a(Order::recorded) == std::vector<double>{0, 7});
}

TEST_CASE("stream buffers: processes that fill each other's pipe go on, as they did", "[prediction]") {
  Joined joined(ChannelMedium::pipe);
  std::vector<EventScript::Sent> of_a, of_b;
  for (int i = 0; i < 4; ++i) {
    of_a.push_back(joined.script().send("A", 1, "B", kHalfAPipe));
    of_b.push_back(joined.script().send("B", 1, "A", kHalfAPipe));
  }
  for (int i = 0; i < 4; ++i) {
    joined.script().receive("A", 1, of_b[static_cast<std::size_t>(i)]);
    joined.script().receive("B", 1, of_a[static_cast<std::size_t>(i)]);
  }
  for (const Order order : {Order::recorded, Order::arrival}) CHECK(joined.sends_of_a(order).size() == 4);
}
