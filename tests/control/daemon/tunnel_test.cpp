// Both ends of a tunnel, with sockets of a test in place of link and collector.
#include "control/agents/tunnel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <deque>

#include "control/agents/filter_tunnels.hpp"
#include "control/agents/meter_tunnel.hpp"
#include "os/net/asio.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using control::Relay;

// The way between the ends: the test moves pieces along.
struct Fixture {
  Fixture()
      : meter(context,
              {[this] { return has_controller; }, [this](Relay piece) { to_filter.push_back(std::move(piece)); }}),
        filter(context, {[this](Relay piece) { to_meter.push_back(std::move(piece)); },
                         [this](UniqueFd socket) { collector = std::move(socket); }}) {}

  void move_pieces() {
    context.restart();
    context.poll();
    while (!to_filter.empty() || !to_meter.empty()) {
      for (; !to_filter.empty(); to_filter.pop_front()) filter.take(to_filter.front());
      for (; !to_meter.empty(); to_meter.pop_front()) meter.take(to_meter.front());
      context.restart();
      context.poll();
    }
  }
  static std::string read_all(const UniqueFd& socket) {
    std::string all;
    std::array<char, 4096> part;
    for (ssize_t length; (length = ::read(socket.get(), part.data(), part.size())) > 0;)
      all.append(part.data(), static_cast<std::size_t>(length));
    return all;
  }

  asio::io_context context;
  bool has_controller = true;
  std::deque<Relay> to_filter, to_meter;
  UniqueFd collector;
  MeterTunnel meter;
  FilterTunnels filter;
};

TEST_CASE("tunnel: bytes arrive in order in both directions, and no more than a window is under way", "[daemon]") {
  Fixture at;
  const UniqueFd link = at.meter.dial("key").value();
  std::string sent, received;
  for (int round = 0; round < 200; ++round) {
    const std::string text(10'000 + static_cast<std::size_t>(round), static_cast<char>('a' + round % 26));
    const ssize_t taken = ::write(link.get(), text.data(), text.size());
    if (taken > 0) sent.append(text, 0, static_cast<std::size_t>(taken));
    at.move_pieces();
    if (round % 3 == 0 && at.collector) received += Fixture::read_all(at.collector);
  }
  for (int i = 0; i < 10; ++i) {
    at.move_pieces();
    received += Fixture::read_all(at.collector);
  }
  CHECK(sent.size() > 1'000'000);
  CHECK(received == sent);
  REQUIRE(::write(at.collector.get(), "answer", 6) == 6);
  at.move_pieces();
  CHECK(Fixture::read_all(link) == "answer");
}

TEST_CASE("tunnel: an end that takes nothing stops the other one", "[daemon]") {
  Fixture at;
  const UniqueFd link = at.meter.dial("key").value();
  const std::string much(4096, 'x');
  std::size_t bytes = 0;
  for (int i = 0; i < 1000; ++i) {
    if (::write(link.get(), much.data(), much.size()) < 0) break;
    at.context.restart();
    at.context.poll();
  }
  for (const auto& piece : at.to_filter) bytes += piece.bytes.size();
  CHECK(bytes == Tunnel::kWindowBytes);
}

TEST_CASE("tunnel: without a controller there is none, and a new way ends it", "[daemon]") {
  Fixture at;
  at.has_controller = false;
  CHECK(!at.meter.dial("key"));
  at.has_controller = true;
  const UniqueFd link = at.meter.dial("key").value();
  REQUIRE(::write(link.get(), "x", 1) == 1);
  at.move_pieces();
  REQUIRE(at.collector);
  at.meter.end();
  at.filter.end_all();
  char byte = 0;
  CHECK(::read(link.get(), &byte, 1) == 0);
  CHECK(::read(at.collector.get(), &byte, 1) == 1);
  CHECK(::read(at.collector.get(), &byte, 1) == 0);
}

TEST_CASE("tunnel: the end of one side is the end of the other", "[daemon]") {
  Fixture at;
  UniqueFd link = at.meter.dial("key").value();
  REQUIRE(::write(link.get(), "last", 4) == 4);
  at.move_pieces();
  link.reset();
  at.move_pieces();
  CHECK(Fixture::read_all(at.collector) == "last");
  char byte = 0;
  CHECK(::read(at.collector.get(), &byte, 1) == 0);
}

TEST_CASE("tunnel: a far end that breaks the window's rule is dropped", "[daemon]") {
  Fixture at;
  const UniqueFd link = at.meter.dial("key").value();
  Relay wrong;
  wrong.tunnel = 1;
  wrong.taken = 1;  // nothing was sent
  at.meter.take(wrong);
  at.context.poll();
  REQUIRE(!at.to_filter.empty());
  CHECK(at.to_filter.back().end);
}

}  // namespace
}  // namespace dpm
