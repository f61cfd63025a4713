#include "backends/linux/supervisor/message_array.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using Lengths = std::vector<std::uint64_t>;

MessageEntry entry(std::uint64_t length_bytes, std::uint64_t contents) { return {length_bytes, contents, ""}; }

}  // namespace

TEST_CASE("recvmmsg: entries that changed were filled, and all before them", "[supervisor]") {
  const std::vector before{entry(0, 0), entry(0, 0), entry(0, 0), entry(0, 0)};
  const std::vector after{entry(7, 1), entry(0, 0), entry(9, 2), entry(0, 0)};
  const MessagesTaken taken = messages_taken(before, after, Lengths{7}, false);
  CHECK(taken.count == 3);
  CHECK_FALSE(taken.lengths_are_gone);
}

TEST_CASE("recvmmsg: what entries hold of an earlier call was not received again", "[supervisor]") {
  const std::vector before{entry(7, 1), entry(8, 2), entry(9, 3)};
  CHECK(messages_taken(before, before, Lengths{7}, false).count == 1);
  CHECK(messages_taken(before, before, {}, false).count == 0);
  SECTION("but by a call that waits for all of them") {
    CHECK(messages_taken(before, before, Lengths{7}, true).count == 3);
  }
}

TEST_CASE("recvmmsg: a datagram of the same length is known by its contents", "[supervisor]") {
  const std::vector before{entry(7, 1), entry(7, 2)};
  const std::vector after{entry(7, 3), entry(7, 4)};
  CHECK(messages_taken(before, after, Lengths{7}, false).count == 2);
}

TEST_CASE("recvmmsg: of headers that were cleared only the contents count", "[supervisor]") {
  const std::vector before{entry(0, 1), entry(0, 2), entry(0, 3)};
  const std::vector after{entry(0, 4), entry(0, 5), entry(0, 3)};
  const MessagesTaken taken = messages_taken(before, after, Lengths{7}, false);
  CHECK(taken.count == 2);
  CHECK(taken.lengths_are_gone);
}

TEST_CASE("recvmmsg: a datagram that was cut to its room is the one that was seen", "[supervisor]") {
  const std::vector before{entry(0, 0), entry(0, 0)};
  const std::vector after{entry(50, 1), entry(50, 2)};
  const MessagesTaken taken = messages_taken(before, after, Lengths{70}, false);
  CHECK(taken.count == 2);
  CHECK_FALSE(taken.lengths_are_gone);
}

TEST_CASE("recvmmsg: an array is read from a program's memory, as far as it is there", "[supervisor]") {
  std::array<char, 8> data{'a'};
  iovec part{data.data(), data.size()};
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(7);
  std::array<mmsghdr, 2> headers = {};
  headers[0].msg_hdr = {.msg_name = &name, .msg_namelen = sizeof name, .msg_iov = &part, .msg_iovlen = 1};
  headers[0].msg_len = 5;
  headers[1].msg_hdr.msg_iov = reinterpret_cast<iovec*>(8);
  headers[1].msg_hdr.msg_iovlen = 1;
  const auto own = static_cast<std::uint32_t>(::getpid());
  const MessageArray array(own, reinterpret_cast<std::uint64_t>(headers.data()), headers.size());
  const auto before = array.read(own);
  REQUIRE(before.size() == 2);
  CHECK(before[0].length_bytes == 5);
  CHECK(before[0].sender_name == "0.0.0.0:7");
  data[1] = 'b';
  const auto after = array.read(own);
  CHECK(after[0].contents != before[0].contents);
  CHECK(after[1].contents == before[1].contents);
  CHECK(array.overlaps(MessageArray(own, reinterpret_cast<std::uint64_t>(&headers[1]), 1)));
  CHECK(MessageArray(own, 8, 3).size() == 0);
}

}  // namespace dpm
