// Pieces of tunnels between machines that a test plays.
#include "control/client/tunnel_switch.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

Relay piece(std::uint32_t pid, std::uint64_t tunnel, const std::string& filter, const std::string& bytes) {
  Relay made;
  made.pid = pid;
  made.tunnel = tunnel;
  made.filter = filter;
  made.bytes = bytes;
  return made;
}

struct Fixture {
  std::vector<std::pair<std::string, Relay>> sent;
  TunnelSwitch tunnels{
      [this](const std::string& machine, Relay relay) { sent.emplace_back(machine, std::move(relay)); }};

  Relay last(const std::string& machine) {
    REQUIRE(!sent.empty());
    CHECK(sent.back().first == machine);
    const Relay relay = sent.back().second;
    sent.clear();
    return relay;
  }
};

TEST_CASE("tunnels: pieces go to the filter and back, each under the number of its end", "[client]") {
  Fixture at;
  at.tunnels.serve("f1key", "blue", 50);
  at.tunnels.take("red", piece(7, 1, "f1key", "hello"));
  const Relay to_filter = at.last("blue");
  CHECK(to_filter.pid == 50);
  CHECK(to_filter.bytes == "hello");
  at.tunnels.take("green", piece(7, 1, "f1key", "other"));
  const Relay other = at.last("blue");
  CHECK(other.tunnel != to_filter.tunnel);
  at.tunnels.take("blue", piece(50, to_filter.tunnel, "", "answer"));
  const Relay back = at.last("red");
  CHECK(back.pid == 7);
  CHECK(back.tunnel == 1);
  CHECK(back.bytes == "answer");
  CHECK(at.tunnels.tunnels() == 2);
  auto end = piece(7, 1, "f1key", "");
  end.end = true;
  at.tunnels.take("red", end);
  CHECK(at.last("blue").end);
  CHECK(at.tunnels.tunnels() == 1);
}

TEST_CASE("tunnels: what leads nowhere is ended", "[client]") {
  Fixture at;
  at.tunnels.take("red", piece(7, 1, "unknown", "hello"));
  CHECK(at.last("red").end);
  at.tunnels.serve("f1key", "blue", 50);
  at.tunnels.take("blue", piece(50, 3, "", "not asked for"));
  CHECK(at.last("blue").end);
  at.tunnels.take("red", piece(7, 1, "f1key", "hello"));
  const Relay to_filter = at.last("blue");
  at.tunnels.refused("blue", to_filter);
  CHECK(at.last("red").end);
  CHECK(at.tunnels.tunnels() == 0);
}

TEST_CASE("tunnels: those of a machine that is lost end at their other ends", "[client]") {
  Fixture at;
  at.tunnels.serve("f1key", "blue", 50);
  at.tunnels.take("red", piece(7, 1, "f1key", "a"));
  at.tunnels.take("green", piece(8, 1, "f1key", "b"));
  at.tunnels.take("blue", piece(51, 1, "f1key", "c"));  // a meter on the filter's own machine
  at.sent.clear();
  at.tunnels.lose("blue");
  CHECK(at.tunnels.tunnels() == 0);
  REQUIRE(at.sent.size() == 2);
  for (const auto& [machine, relay] : at.sent) {
    CHECK((machine == "red" || machine == "green"));
    CHECK(relay.end);
  }
}

TEST_CASE("tunnels: a machine cannot open more than there may be", "[client]") {
  Fixture at;
  at.tunnels.serve("f1key", "blue", 50);
  for (std::uint64_t i = 0; i < TunnelSwitch::kTunnelsMax + 10; ++i) at.tunnels.take("red", piece(7, i, "f1key", "x"));
  CHECK(at.tunnels.tunnels() == TunnelSwitch::kTunnelsMax);
  CHECK(at.last("red").end);
}

}  // namespace
}  // namespace dpm::control
