// What the kernel reports of sockets in states that last a moment, or that a program seldom sees.
#include "os/kernel/descriptor.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <array>
#include <string>

#include "os/unique_fd.hpp"
#include "tests/os/kernel/loopback.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr int kLimitMs = 60'000;

void wait_for(int fd, short what) {
  pollfd item{fd, what, 0};
  REQUIRE(::poll(&item, 1, kLimitMs) == 1);
}

void take(int fd, std::size_t bytes) {
  std::array<char, 100> buffer;
  for (std::size_t taken = 0; taken < bytes;) {
    const ssize_t got = ::recv(fd, buffer.data(), bytes - taken, 0);
    REQUIRE(got > 0);
    taken += static_cast<std::size_t>(got);
  }
}

void reset(UniqueFd& fd) {
  const linger at_once{1, 0};
  REQUIRE(::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  fd.reset();
}

}  // namespace

TEST_CASE("descriptor: a peer's end is not a byte of the stream, even when the connection is reset after it",
          "[linux]") {
  const std::string words(24, 'x');
  Connection connection = connect_on_loopback();
  REQUIRE(::send(connection.client.get(), words.data(), words.size(), 0) == 24);
  take(connection.server.get(), 24);
  const int server = connection.server.get();
  CHECK(tcp_receive_state(server, 24)->offset == 24);

  const bool ends = GENERATE(true, false);
  if (ends) {
    REQUIRE(::shutdown(connection.client.get(), SHUT_WR) == 0);
    wait_for(server, POLLRDHUP);
    CHECK(tcp_receive_state(server, 24)->offset == 24);
    CHECK(tcp_receive_state(server, 24)->ended);
  }
  reset(connection.client);
  wait_for(server, 0);  // POLLHUP
  CHECK(tcp_receive_state(server, 24)->offset == 24);
  CHECK(tcp_receive_state(server, 24)->ended == ends);
}

TEST_CASE("descriptor: an eventfd says what it is, what it holds and how it is read", "[linux]") {
  const UniqueFd event(::eventfd(5, EFD_SEMAPHORE));
  const auto counter = read_event_counter(event.get());
  REQUIRE(counter);
  CHECK(counter->count == 5);
  CHECK(identify(event.get()).kind == DescriptorIdentity::Kind::eventfd);
  CHECK(identify(event.get()).id == counter->id);
  const UniqueFd other(::eventfd(0, 0)), timer(::timerfd_create(CLOCK_MONOTONIC, 0));
  CHECK(identify(other.get()).id != counter->id);
  CHECK(identify(timer.get()).kind == DescriptorIdentity::Kind::other);
  const auto large = parse_event_counter("eventfd-count:               1f\neventfd-id: 12\neventfd-semaphore: 1\n");
  REQUIRE(large);
  CHECK(large->count == 0x1f);
  CHECK(large->id == 12);
  CHECK(large->is_semaphore);
}

}  // namespace dpm
