// Which ends of channels are joined, by hand.
#include "tests/support/catch.hpp"
#include "tests/trace/merge/union_by_hand.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct RedAndBlue : Traces {
  TraceInfo& red = machine("red", {"10.0.0.1", "10.1.0.1", "fe80::1"});
  TraceInfo& blue = machine("blue", {"10.0.0.2", "10.1.0.2", "fe80::2"});

  std::string warning() {
    const auto warnings = united->warnings();
    return warnings.empty() ? "" : warnings.front();
  }
};

}  // namespace

TEST_CASE("merge: a connection's ends on two machines are one channel for each direction", "[merge]") {
  RedAndBlue traces;
  const std::string client = "10.0.0.1:4000", server = "10.0.0.2:80";
  Traces::tcp(traces.red, client, server, Seen::sender, 5);
  Traces::tcp(traces.red, server, client, Seen::receiver, 5);
  Traces::tcp(traces.blue, server, "[::ffff:10.0.0.1]:4000", Seen::sender, 5);
  Traces::tcp(traces.blue, "[::ffff:10.0.0.1]:4000", server, Seen::receiver, 5);
  CHECK(traces.channels() == 2);
  const auto& channels = traces.united->info().channels;
  CHECK(channels[0].sender.machine == MachineId{0});
  CHECK(channels[0].receiver.machine == MachineId{1});
  CHECK(channels[1].sender.machine == MachineId{1});
  CHECK(traces.united->warnings().empty());
  CHECK(traces.united->info().channels.size() == 2);
}

TEST_CASE("merge: loopback addresses, UNIX sockets and pipes lead nowhere else", "[merge]") {
  RedAndBlue traces;
  const auto both = [&](const auto& make) {
    const std::size_t before = traces.channels();
    make(traces.red, Seen::sender);
    make(traces.blue, Seen::receiver);
    return traces.channels() - before;
  };
  CHECK(both([](auto& info, Seen seen) { Traces::tcp(info, "127.0.0.1:1", "127.0.0.1:2", seen); }) == 2);
  CHECK(both([](auto& info, Seen seen) { Traces::tcp(info, "[::1]:1", "[::1]:2", seen); }) == 2);
  CHECK(both([](auto& info, Seen seen) { Traces::udp(info, "127.0.0.1:1", "127.0.0.1:2", seen); }) == 2);
  CHECK(both([](auto& info, Seen seen) { Traces::channel(info, ChannelMedium::unix_socket, "/a#1", "/b#2", seen); }) ==
        2);
  CHECK(both([](auto& info, Seen) { Traces::channel(info, ChannelMedium::pipe, "8:1", "8:1", Seen::both); }) == 2);
  CHECK(both([](auto& info, Seen) { info.channels.push_back({ProcessId{}, "a link"}); }) == 2);
}

TEST_CASE("merge: machines that are one host under two names share what is within it", "[merge]") {
  RedAndBlue traces;
  traces.red.machines[0].host = traces.blue.machines[0].host = "boot 1, network 2";
  traces.red.machines[0].addresses = traces.blue.machines[0].addresses = {"10.0.0.1"};
  Traces::tcp(traces.red, "127.0.0.1:1", "127.0.0.1:2", Seen::sender);
  Traces::tcp(traces.blue, "127.0.0.1:1", "127.0.0.1:2", Seen::receiver);
  Traces::udp(traces.red, "127.0.0.1:3", "127.0.0.1:4", Seen::sender);
  Traces::udp(traces.blue, "127.0.0.1:3", "127.0.0.1:4", Seen::receiver);
  Traces::channel(traces.red, ChannelMedium::unix_socket, "/a#1", "/b#2", Seen::sender);
  Traces::channel(traces.blue, ChannelMedium::unix_socket, "/a#1", "/b#2", Seen::receiver);
  CHECK(traces.channels() == 3);
  CHECK(traces.united->warnings().empty());
}

TEST_CASE("merge: two meters of one machine join what stays within it", "[merge]") {
  RedAndBlue traces;
  TraceInfo& again = traces.machine("red", {"10.0.0.1"});
  Traces::tcp(traces.red, "127.0.0.1:1", "127.0.0.1:2", Seen::sender);
  Traces::channel(traces.red, ChannelMedium::unix_socket, "/a#1", "/b#2", Seen::sender);
  Traces::channel(traces.red, ChannelMedium::pipe, "8:1", "8:1", Seen::both);
  Traces::udp(traces.red, "0.0.0.0:1", "127.0.0.1:2", Seen::sender);
  Traces::udp(again, "127.0.0.1:1", "[::]:2", Seen::receiver);
  Traces::channel(again, ChannelMedium::pipe, "8:1", "8:1", Seen::both);
  Traces::channel(again, ChannelMedium::unix_socket, "/a#1", "/b#2", Seen::receiver);
  Traces::tcp(again, "127.0.0.1:1", "127.0.0.1:2", Seen::receiver);
  for (TraceInfo* info : {&traces.red, &again}) Traces::channel(*info, ChannelMedium::memory, "7:1", "7:1", Seen::both);
  CHECK(traces.channels() == 5);
}

TEST_CASE("merge: an end seen by two meters one after the other is known by its socket", "[merge]") {
  RedAndBlue traces;
  Traces::tcp(traces.red, "10.0.0.1:1", "10.0.0.2:2", Seen::sender, 77);
  Traces::tcp(traces.blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver, 9);
  TraceInfo& later = traces.machine("red", {"10.0.0.1"});
  Traces::process(later, "acquired", 5, 5, true);
  Traces::tcp(later, "10.0.0.1:1", "10.0.0.2:2", Seen::sender, 77);
  CHECK(traces.channels() == 1);
  CHECK(traces.united->warnings().empty());
}

TEST_CASE("merge: the k-th connection of the same names is the k-th at the other end", "[merge]") {
  RedAndBlue traces;
  for (std::uint64_t k = 1; k <= 3; ++k) Traces::tcp(traces.red, "10.0.0.1:1", "10.0.0.2:2", Seen::sender, k);
  for (std::uint64_t k = 4; k <= 6; ++k) Traces::tcp(traces.blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver, k);
  CHECK(traces.channels() == 3);
  for (std::uint64_t k = 0; k < 3; ++k) {
    CHECK(traces.united->info().channels[k].sender.socket == k + 1);
    CHECK(traces.united->info().channels[k].receiver.socket == k + 4);
  }
  CHECK(traces.united->warnings().empty());

  Traces::tcp(traces.blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver, 7);
  CHECK(traces.channels() == 4);
  CHECK(traces.warning().find("3 at the sending end, 4 at the other") != std::string::npos);
}

TEST_CASE("merge: names used again are not joined where a beginning was not seen", "[merge]") {
  RedAndBlue traces;
  Traces::process(traces.blue, "acquired", 5, 5, true);
  for (std::uint64_t k = 1; k <= 2; ++k) Traces::tcp(traces.red, "10.0.0.1:1", "10.0.0.2:2", Seen::sender, k);
  Traces::tcp(traces.blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver, 9);
  CHECK(traces.channels() == 3);
  CHECK(traces.warning().starts_with("directions of connections that stay apart from their other ends: 1 ("));
}

TEST_CASE("merge: names that several machines claim are not joined", "[merge]") {
  RedAndBlue traces;
  TraceInfo& green = traces.machine("green", {"10.0.0.1"});
  Traces::tcp(traces.red, "10.0.0.1:1", "10.0.0.2:2", Seen::sender);
  Traces::tcp(green, "10.0.0.1:1", "10.0.0.2:2", Seen::sender);
  TraceInfo& blue = traces.machine("blue", {"10.0.0.2"});
  Traces::tcp(blue, "10.0.0.1:1", "10.0.0.2:2", Seen::receiver);
  CHECK(traces.channels() == 3);
  CHECK(traces.warning().find("several machines") != std::string::npos);
}

TEST_CASE("merge: translated names are reported, not guessed", "[merge]") {
  RedAndBlue traces;
  Traces::tcp(traces.red, "10.0.0.1:1", "10.0.0.2:80", Seen::sender);           // what red knows
  Traces::tcp(traces.blue, "192.168.0.1:9999", "10.0.0.2:80", Seen::receiver);  // what arrives at blue
  CHECK(traces.channels() == 2);
  CHECK(
      traces.united->warnings() ==
      std::vector<std::string>{"channels of 'red' that lead to addresses of 'blue', whose meters never saw their "
                               "names: 1 (10.0.0.1:1 > 10.0.0.2:80, though port 80 of 'blue' is in use by a metered "
                               "process); the processes there are not metered, or names are translated between them"});
}

TEST_CASE("merge: datagrams are joined whatever their sockets are bound to", "[merge]") {
  struct Row {
    std::string from_at_red, to_at_red, from_at_blue, to_at_blue;
    bool joined;
  };
  const std::vector<Row> rows = {
      {"10.0.0.1:1", "10.0.0.2:2", "10.0.0.1:1", "10.0.0.2:2", true},
      {"0.0.0.0:1", "10.0.0.2:2", "10.0.0.1:1", "0.0.0.0:2", true},
      {"0.0.0.0:1", "10.1.0.2:2", "10.1.0.1:1", "[::]:2", true},
      {"[::]:1", "[fe80::2]:2", "[fe80::1]:1", "[::]:2", true},
      {"0.0.0.0:1", "10.0.0.2:2", "10.0.0.1:1", "10.1.0.2:2", false},  // bound to another address
      {"0.0.0.0:1", "10.0.0.2:2", "10.0.0.7:1", "0.0.0.0:2", false},   // came from elsewhere
      {"0.0.0.0:1", "10.0.0.7:2", "10.0.0.1:1", "0.0.0.0:2", false},   // went elsewhere
      {"10.1.0.1:1", "10.0.0.2:2", "10.0.0.1:1", "0.0.0.0:2", false},
      {"0.0.0.0:1", "10.0.0.2:2", "10.0.0.1:3", "0.0.0.0:2", false},
      {"0.0.0.0:1", "224.0.0.1:2", "10.0.0.1:1", "0.0.0.0:2", false},
  };
  for (const Row& row : rows) {
    INFO(row.from_at_red << " > " << row.to_at_red << " and " << row.from_at_blue << " > " << row.to_at_blue);
    RedAndBlue traces;
    Traces::udp(traces.red, row.from_at_red, row.to_at_red, Seen::sender);
    Traces::udp(traces.blue, row.from_at_blue, row.to_at_blue, Seen::receiver);
    CHECK(traces.channels() == (row.joined ? 1 : 2));
    std::swap(traces.infos[0], traces.infos[1]);
    CHECK(traces.channels() == (row.joined ? 1 : 2));
  }
}

TEST_CASE("merge: datagrams of sockets without a name, or that fit several, stay apart", "[merge]") {
  RedAndBlue traces;
  Traces::udp(traces.red, "0.0.0.0:0", "10.0.0.2:2", Seen::sender);
  Traces::udp(traces.blue, "10.0.0.1:4000", "0.0.0.0:2", Seen::receiver);
  CHECK(traces.channels() == 2);
  CHECK(traces.warning().starts_with("sockets that sent a datagram and were closed before their port was known: 1"));

  RedAndBlue several;
  TraceInfo& green = several.machine("green", {"10.0.0.2"});
  Traces::udp(several.blue, "10.0.0.1:1", "0.0.0.0:2", Seen::receiver);
  Traces::udp(green, "10.0.0.1:1", "0.0.0.0:2", Seen::receiver);
  TraceInfo& red = several.machine("red", {"10.0.0.1"});
  Traces::udp(red, "0.0.0.0:1", "10.0.0.2:2", Seen::sender);
  CHECK(several.channels() == 3);
  CHECK(several.warning().starts_with("ways of datagrams that fit several others: 1"));
}
