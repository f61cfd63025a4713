// Names of sockets, as the kernel and the meter write them.
#include "model/channel_end.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("channel end: internet names have an address and a port, and are written as they were", "[model]") {
  for (const auto* name : {"10.0.0.1:80", "[fe80::1]:65535", "[::]:0", "0.0.0.0:1"}) {
    const ChannelEnd end = parse_internet_name(name);
    CHECK(to_string(end) == name);
    CHECK(end.machine.is_none());
  }
  CHECK(parse_internet_name("[::ffff:10.0.0.1]:80") == parse_internet_name("10.0.0.1:80"));
  CHECK(parse_internet_name("[fe80::1]:80").address == "fe80::1");
  CHECK(parse_internet_name("[fe80::1]:80").port == 80);
}

TEST_CASE("channel end: any other name is an address as a whole", "[model]") {
  for (const auto* name :
       {"/run/a:80", "@abstract", "socket:[12]", "10.0.0.1:65536", "10.0.0.1:", "a:b", "", "/x:1:2"}) {
    const ChannelEnd end = parse_internet_name(name);
    CHECK(end.address == name);
    CHECK(end.port == 0);
    CHECK(to_string(end) == name);
  }
}

TEST_CASE("channel end: which addresses mean the machine itself, and which any of its own", "[model]") {
  CHECK(is_loopback_address("127.0.0.53"));
  CHECK(is_loopback_address("::1"));
  CHECK_FALSE(is_loopback_address("10.127.0.1"));
  CHECK(is_any_address("0.0.0.0"));
  CHECK(is_any_address("::"));
  CHECK_FALSE(is_any_address("::1"));
  CHECK(without_mapping("::ffff:127.0.0.1") == "127.0.0.1");
  CHECK(without_mapping("::ffff:1:2") == "::ffff:1:2");
}
