#include "backends/linux/bpf/unnamed_senders.hpp"

#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("unnamed senders: the oldest datagram of this length and port", "[linux][kernel_source]") {
  UnnamedSenders senders;
  senders.sent(53, "127.0.0.1:1000", 10);
  senders.sent(53, "127.0.0.1:1001", 20);
  senders.sent(53, "127.0.0.1:1002", 10);
  CHECK(senders.sender_of(53, 10) == "127.0.0.1:1000");
  CHECK(senders.sender_of(53, 10) == "127.0.0.1:1002");
  CHECK(senders.sender_of(53, 10).empty());
  CHECK(senders.sender_of(54, 20).empty());
  CHECK(senders.sender_of(53, 20) == "127.0.0.1:1001");
}

TEST_CASE("unnamed senders: what was received by name is not given to others", "[linux][kernel_source]") {
  UnnamedSenders senders;
  senders.sent(53, "0.0.0.0:1000", 10);
  senders.sent(53, "0.0.0.0:1001", 10);
  senders.received(53, "127.0.0.1:1000", 10);
  CHECK(senders.sender_of(53, 10) == "0.0.0.0:1001");
}

TEST_CASE("unnamed senders: datagrams that are lost are forgotten", "[linux][kernel_source]") {
  UnnamedSenders senders;
  for (std::size_t i = 0; i <= UnnamedSenders::kWaitingMax; ++i) senders.sent(53, i == 0 ? "a:1" : "b:2", 10);
  CHECK(senders.sender_of(53, 10) == "b:2");
}

// One list in which each question looks from the beginning.
TEST_CASE("unnamed senders: the same as a plain list", "[linux][kernel_source]") {
  const auto seed = GENERATE(range(1u, 20u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  UnnamedSenders senders;
  struct Sent {
    std::uint16_t port;
    std::string by;
    std::uint64_t bytes;
  };
  std::vector<Sent> plain;
  for (int step = 0; step < 500; ++step) {
    const auto port = static_cast<std::uint16_t>(random() % 3);
    const std::uint64_t bytes = random() % 4;
    if (random() % 2 == 0) {
      const std::string by = "host:" + std::to_string(random() % 5);
      senders.sent(port, by, bytes);
      plain.push_back({port, by, bytes});
      continue;
    }
    std::string expected;
    for (auto one = plain.begin(); one != plain.end(); ++one) {
      if (one->port != port || one->bytes != bytes) continue;
      expected = one->by;
      plain.erase(one);
      break;
    }
    CHECK(senders.sender_of(port, bytes) == expected);
  }
}

}  // namespace
}  // namespace dpm
