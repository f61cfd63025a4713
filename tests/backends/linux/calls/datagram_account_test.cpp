// sent = received + dropped + waiting, and what is concluded where that does not hold.
#include "backends/linux/calls/datagram_account.hpp"

#include "backends/linux/calls/datagram_accounts.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kSocket = 7;

// One receiver, and senders each of which has gone on after every send unless told otherwise.
struct Scene {
  DatagramAccount account;
  bool all_over = true;

  void sent(int count, std::uint32_t channel = 1) {
    for (int i = 0; i < count; ++i) account.sent({{ProcessId{1}, 10}, 1, ChannelId{channel}});
  }
  void received(int count, std::uint32_t channel = 1) {
    for (int i = 0; i < count; ++i) account.received(ChannelId{channel});
  }
  void look(std::uint32_t dropped = 0, std::uint32_t waiting_bytes = 0, std::uint64_t socket = kSocket) {
    DatagramAccount::Sight sight{.by = {ProcessId{2}, 20}, .socket = socket, .dropped = dropped};
    sight.waiting_bytes = waiting_bytes;
    account.look(sight, [this](const auto&) { return all_over; });
  }
  DatagramAccount::Verdict closed(std::uint32_t unread_bytes = 0) {
    const auto verdict = account.close(kSocket, unread_bytes);
    REQUIRE(verdict);
    return *verdict;
  }
};

}  // namespace

TEST_CASE("datagram account: what was received or dropped is checked", "[linux]") {
  Scene scene;
  scene.look();
  scene.sent(10);
  scene.received(7);
  scene.look(3);
  const auto verdict = scene.closed();
  CHECK(verdict.checked == 17);
  CHECK(verdict.unchecked == 0);
  CHECK(verdict.lost + verdict.surplus == 0);
  CHECK(scene.account.is_empty());
}

TEST_CASE("datagram account: a RECEIVE that is missing is found, and on which channel", "[linux]") {
  Scene scene;
  scene.look();
  scene.sent(5, 1);
  scene.sent(5, 2);
  scene.received(5, 1);
  scene.received(4, 2);
  scene.look();
  const auto verdict = scene.closed();
  CHECK(verdict.lost == 1);
  CHECK(verdict.channel == ChannelId{2});
  CHECK(verdict.by.tid == 20);
  CHECK(verdict.unchecked == 0);
}

TEST_CASE("datagram account: a SEND that is missing is found", "[linux]") {
  Scene scene;
  scene.look();
  scene.sent(5, 1);
  scene.sent(4, 2);
  scene.received(5, 1);
  scene.received(5, 2);
  scene.look();
  const auto verdict = scene.closed();
  CHECK(verdict.surplus == 1);
  CHECK(verdict.channel == ChannelId{2});
  CHECK(verdict.by.tid == 10);
}

TEST_CASE("datagram account: what may have found no socket, or waited when it was closed, is not checkable",
          "[linux]") {
  Scene scene;
  SECTION("sent before it was first looked at") {
    scene.sent(3);
    scene.look();
    scene.received(1);
    scene.look();
  }
  SECTION("under way at the last look") {
    scene.look();
    scene.sent(3);
    scene.received(1);
    scene.all_over = false;
    scene.look();
  }
  SECTION("waiting") {
    scene.look();
    scene.sent(3);
    scene.received(1);
    scene.look(0, 1664);
    const auto verdict = scene.closed(1664);
    CHECK(verdict.unchecked == 2);
    CHECK(verdict.lost == 0);
    return;
  }
  const auto verdict = scene.closed();
  CHECK(verdict.lost == 0);
  CHECK(verdict.surplus == 0);
  CHECK(verdict.unchecked + scene.account.verdict().unchecked == 2);
}

TEST_CASE("datagram account: a send that is late for one socket may be received by the next of that name", "[linux]") {
  Scene scene;
  scene.look();
  scene.sent(2);
  scene.received(1);
  CHECK(scene.closed().unchecked == 0);
  scene.look(0, 0, 8);
  scene.received(1);
  scene.look(0, 0, 8);
  const auto verdict = scene.account.close(8, 0);
  REQUIRE(verdict);
  CHECK(verdict->surplus == 0);
  CHECK(verdict->unchecked == 0);
}

TEST_CASE("datagram account: what others sent is not checkable, and may be what was dropped", "[linux]") {
  Scene scene;
  scene.look();
  scene.sent(5);
  scene.received(4);
  scene.account.received_from_outside();
  scene.look(2);
  const auto verdict = scene.closed();
  CHECK(verdict.lost == 0);
  CHECK(verdict.surplus == 0);
  CHECK(verdict.unchecked == 2);
}

TEST_CASE("datagram account: a socket that is older than the metering may have dropped before", "[linux]") {
  Scene scene;
  scene.look(100);
  scene.sent(5);
  scene.received(5);
  scene.look(100);
  CHECK(scene.closed().checked == 10);
}

TEST_CASE("datagram account: nothing is checked where calls bypassed the meter, or no socket was seen", "[linux]") {
  Scene scene;
  scene.sent(5);
  SECTION("no socket") { CHECK(scene.account.verdict().unchecked == 5); }
  SECTION("passed by") {
    scene.look();
    scene.account.give_up();
    CHECK(scene.closed().unchecked == 5);
  }
}

TEST_CASE("datagram accounts: names of one socket have one account, and a closed one is forgotten", "[linux]") {
  const auto all_same = [](const ChannelEnd&, const ChannelEnd&) { return true; };
  const auto equal = [](const ChannelEnd& a, const ChannelEnd& b) {
    return a.address == b.address || a.address == "0.0.0.0" || b.address == "0.0.0.0";
  };
  ChannelEnd local, other, any;
  local.address = "127.0.0.1";
  other.address = "10.0.0.1";
  any.address = "0.0.0.0";
  local.port = other.port = any.port = 53;
  DatagramAccounts accounts(equal);
  accounts.of(local).sent({{ProcessId{1}, 10}, 1, ChannelId{1}});
  accounts.of(other).sent({{ProcessId{1}, 10}, 1, ChannelId{2}});
  CHECK(&accounts.of(local) != &accounts.of(other));
  DatagramAccount& account = accounts.of(any);
  CHECK(&accounts.of(local) == &account);
  CHECK(&accounts.of(other) == &account);
  account.look({.socket = kSocket}, [](const auto&) { return true; });
  account.received(ChannelId{1});
  account.received(ChannelId{2});
  const auto verdict = accounts.close(local, kSocket, 0);
  REQUIRE(verdict);
  CHECK(verdict->checked == 4);
  CHECK(accounts.finish().empty());
  DatagramAccounts many(all_same);
  CHECK_FALSE(many.close(local, kSocket, 0));
}

}  // namespace dpm
