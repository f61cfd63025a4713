// Which of several senders a datagram is from, by what each source sees of it.
#include "backends/linux/calls/unreceived_datagrams.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr ProcessId kFirst{1}, kSecond{2}, kThird{3};

}  // namespace

TEST_CASE("unreceived datagrams: the sender's socket decides, whatever the order and the length", "[linux]") {
  UnreceivedDatagrams datagrams;
  datagrams.sent(kFirst, {.bytes = 10, .socket = 71});
  datagrams.sent(kSecond, {.bytes = 10, .socket = 72});
  datagrams.sent(kThird, {.bytes = 20, .socket = 71});
  CHECK(datagrams.take({.bytes = 10, .socket = 72}) == kSecond);
  CHECK(datagrams.take({.bytes = 5, .socket = 71}) == kFirst);
  CHECK(datagrams.take({.bytes = 20, .socket = 71}) == kThird);
  CHECK_FALSE(datagrams.take({.bytes = 20, .socket = 73}));
}

TEST_CASE("unreceived datagrams: without its socket, a sender is known by its name or by the first bytes", "[linux]") {
  UnreceivedDatagrams datagrams;
  datagrams.sent(kFirst, {.bytes = 10, .sender = "", .beginning = 8});
  datagrams.sent(kSecond, {.bytes = 10, .sender = "/run/second"});
  datagrams.sent(kThird, {.bytes = 10, .sender = "", .beginning = 9});
  CHECK(datagrams.take({.bytes = 10, .sender = "/run/second", .beginning = 7}) == kSecond);
  CHECK(datagrams.take({.bytes = 10, .sender = "", .beginning = 9}) == kThird);
  CHECK_FALSE(datagrams.take({.bytes = 11, .sender = "", .beginning = 8}));
  SECTION("it was given a name after the send") {
    CHECK(datagrams.take({.bytes = 10, .sender = "/run/first", .beginning = 8}) == kFirst);
  }
  SECTION("only the length is seen") { CHECK(datagrams.take({.bytes = 10}) == kFirst); }
}

TEST_CASE("unreceived datagrams: equal ones are taken in the order of their sends", "[linux]") {
  UnreceivedDatagrams datagrams;
  for (const ProcessId by : {kSecond, kFirst, kThird}) datagrams.sent(by, {.bytes = 10, .sender = "", .beginning = 1});
  for (const ProcessId by : {kSecond, kFirst, kThird})
    CHECK(datagrams.take({.bytes = 10, .sender = "", .beginning = 1}) == by);
}

TEST_CASE("unreceived datagrams: what was not received is forgotten", "[linux]") {
  UnreceivedDatagrams datagrams;
  SECTION("when many later ones were") {
    datagrams.sent(kFirst, {.bytes = 99, .socket = 71});
    for (std::uint32_t i = 0; i <= UnreceivedDatagrams::kOvertakenMax; ++i) {
      datagrams.sent(kSecond, {.bytes = 10, .socket = 72});
      CHECK(datagrams.take({.bytes = 10, .socket = 72}) == kSecond);
    }
    CHECK(datagrams.size() == 0);
  }
  SECTION("when the receiver takes none") {
    for (std::size_t i = 0; i < 2 * UnreceivedDatagrams::kWaitingMax; ++i) datagrams.sent(kFirst, {.bytes = 10});
    CHECK(datagrams.size() == UnreceivedDatagrams::kWaitingMax);
  }
}

}  // namespace dpm
