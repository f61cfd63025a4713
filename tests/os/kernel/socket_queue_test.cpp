// What waits in a datagram socket, looked at without taking it.
#include "os/kernel/socket_queue.hpp"

#include <sys/socket.h>

#include <array>

#include "os/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct Pair {
  UniqueFd writes, reads;
};

Pair datagram_pair(int type) {
  std::array<int, 2> fds = {};
  REQUIRE(::socketpair(AF_UNIX, type, 0, fds.data()) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::vector<std::uint32_t> lengths_of(int fd, std::size_t most) {
  std::vector<std::uint32_t> lengths;
  const DatagramQueue queue = look_at_datagrams(fd);
  if (!queue.next) return lengths;
  lengths.push_back(queue.next->length_bytes);
  for (const auto& next : datagrams_behind(fd, *queue.next, most)) lengths.push_back(next.length_bytes);
  return lengths;
}

}  // namespace

TEST_CASE("datagrams behind the first are seen with their lengths, and stay", "[kernel]") {
  const Pair pair = datagram_pair(SOCK_DGRAM);
  std::array<char, 200> data{};
  using Lengths = std::vector<std::uint32_t>;
  const auto lengths = GENERATE(Lengths{13, 0, 29, 150}, Lengths{0, 0, 5}, Lengths{150, 150, 7});
  for (const std::uint32_t length : lengths) REQUIRE(::send(pair.writes.get(), data.data(), length, 0) == length);
  CHECK(lengths_of(pair.reads.get(), 10) == lengths);
  int position = 0;
  socklen_t size = sizeof position;
  REQUIRE(::getsockopt(pair.reads.get(), SOL_SOCKET, SO_PEEK_OFF, &position, &size) == 0);
  CHECK(position == -1);
  for (const std::uint32_t length : lengths) CHECK(::recv(pair.reads.get(), data.data(), data.size(), 0) == length);
}

TEST_CASE("not more datagrams are looked at than a call takes", "[kernel]") {
  const Pair pair = datagram_pair(SOCK_SEQPACKET);
  for (int i = 0; i < 3; ++i) REQUIRE(::send(pair.writes.get(), "abc", 3, 0) == 3);
  CHECK(lengths_of(pair.reads.get(), 1).size() == 2);
  CHECK(lengths_of(pair.reads.get(), 0).size() == 1);
}

TEST_CASE("the peek position of a program's socket stays what it is", "[kernel]") {
  const Pair pair = datagram_pair(SOCK_DGRAM);
  for (int i = 0; i < 2; ++i) REQUIRE(::send(pair.writes.get(), "abc", 3, 0) == 3);
  int position = 3;
  REQUIRE(::setsockopt(pair.reads.get(), SOL_SOCKET, SO_PEEK_OFF, &position, sizeof position) == 0);
  CHECK(datagrams_behind(pair.reads.get(), {}, 5).empty());
  socklen_t size = sizeof position;
  REQUIRE(::getsockopt(pair.reads.get(), SOL_SOCKET, SO_PEEK_OFF, &position, &size) == 0);
  CHECK(position == 3);
}

}  // namespace dpm
