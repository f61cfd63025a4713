// What the kernel reports of a socket that has been closed.
#include "os/kernel/closed_sockets.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <map>
#include <string>

#include "os/kernel/descriptor.hpp"
#include "tests/os/kernel/loopback.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr int kLimitMs = 60'000;

void send_bytes(int fd, std::size_t bytes) {
  const std::string data(bytes, 'x');
  REQUIRE(::send(fd, data.data(), data.size(), 0) == static_cast<ssize_t>(bytes));
}

void receive_bytes(int fd, std::size_t bytes) {
  std::string data(bytes, '\0');
  REQUIRE(::recv(fd, data.data(), data.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes));
}

struct Watch {
  Result<ClosedSockets> sockets = ClosedSockets::open();
  std::map<std::uint64_t, ClosedSocket> seen;

  const ClosedSocket& of(std::uint64_t cookie) {
    while (!seen.contains(cookie)) {
      pollfd item{sockets->fd(), POLLIN, 0};
      REQUIRE(::poll(&item, 1, kLimitMs) == 1);
      sockets->drain([this](const ClosedSocket& closed) { seen[closed.cookie] = closed; });
    }
    return seen[cookie];
  }
};

}  // namespace

TEST_CASE("closed sockets: the kernel tells where the streams of a connection ended", "[linux]") {
  Watch watch;
  if (!watch.sockets) {
    WARN("not on this machine: " + watch.sockets.error().what);
    return;
  }
  Connection made = connect_on_loopback();
  const std::uint64_t client = identify(made.client.get()).id, server = identify(made.server.get()).id;
  send_bytes(made.client.get(), 100);
  send_bytes(made.server.get(), 7);
  receive_bytes(made.client.get(), 7);
  std::uint64_t received = 100;
  SECTION("all was read, and the client closes first") {
    receive_bytes(made.server.get(), 100);
    made.client.reset();
    made.server.reset();
  }
  SECTION("all was read, and the server closes first") {
    receive_bytes(made.server.get(), 100);
    made.server.reset();
    made.client.reset();
  }
  SECTION("a part was read, and the connection is reset") {
    receive_bytes(made.server.get(), 30);
    received = 30;
    made.server.reset();
    made.client.reset();
  }
  const ClosedSocket& at_client = watch.of(client);
  const ClosedSocket& at_server = watch.of(server);
  REQUIRE(at_client.tcp);
  REQUIRE(at_server.tcp);
  CHECK(sent_at_end(*at_client.tcp, true, 0) == 100);
  CHECK(sent_at_end(*at_server.tcp, false, 0) == 7);
  CHECK(received_at_end(*at_client.tcp, 7) == 7);
  CHECK(received_at_end(*at_server.tcp, received) == received);
}

TEST_CASE("closed sockets: one that was reset by its own program has forgotten what it moved", "[linux]") {
  Watch watch;
  if (!watch.sockets) return;
  Connection made = connect_on_loopback();
  const std::uint64_t client = identify(made.client.get()).id;
  send_bytes(made.client.get(), 100);
  const linger at_once{1, 0};
  REQUIRE(::setsockopt(made.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  made.client.reset();
  CHECK_FALSE(watch.of(client).tcp);
}

TEST_CASE("closed sockets: a FIN is not a byte of the stream", "[linux]") {
  // Numbers measured on Linux 6.18.
  CHECK(sent_at_end({.written = 100, .acknowledged = 102}, true, 0) == 100);
  CHECK(sent_at_end({.written = 0, .acknowledged = 1}, false, 0) == 0);
  CHECK(sent_at_end({.written = 3909280, .acknowledged = 3909282}, true, 0) == 3909280);
  CHECK(received_at_end({.received = 101}, 100) == 100);
  CHECK(received_at_end({.received = 101}, 60) == 100);
  CHECK(received_at_end({.received = 0}, 0) == 0);
  // The sums contradict each other: the expected offset decides about the FIN.
  CHECK(sent_at_end({.written = 150, .acknowledged = 101}, true, 100) == 100);
  CHECK(sent_at_end({.written = 150, .acknowledged = 102}, true, 100) == 100);
}

TEST_CASE("closed sockets: a message that is cut off, or of another kind, announces nothing", "[linux]") {
  std::array<std::byte, 200> message = {};
  for (std::size_t length = 0; length <= message.size(); ++length)
    CHECK_FALSE(parse_closed_socket(std::span(message).first(length)));
}

}  // namespace dpm
