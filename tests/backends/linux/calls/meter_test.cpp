// What calls mean: paths inferred from use, names of processes, lengths that later calls show.
#include "backends/linux/calls/meter.hpp"

#include <algorithm>

#include "tests/backends/linux/calls/scene.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

SocketDescription unix_pair_end(std::uint64_t inode, std::uint64_t peer_inode) {
  SocketDescription socket;
  socket.medium = Medium::unix_stream;
  socket.domain = 1;
  socket.type = 1;
  socket.connected = true;
  socket.inode = inode;
  socket.peer_inode = peer_inode;
  return socket;
}

}  // namespace

TEST_CASE("meter: both ends of a connection are one channel for each direction", "[linux]") {
  Scene scene;
  Socket& client = scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", true));
  Socket& server = scene.meter.conversations().add(2, tcp("127.0.0.1:80", "127.0.0.1:4000", false));
  CHECK(client.out == server.in);
  CHECK(client.in == server.out);
  scene.take();
  CHECK(scene.info.channels.size() == 2);
  CHECK(scene.info.channels[0].name == "tcp 127.0.0.1:4000 > 127.0.0.1:80");
  CHECK(scene.info.channels[0].kind == ChannelKind::stream);
}

TEST_CASE("meter: a port used again belongs to another connection", "[linux]") {
  Scene scene;
  Flow* first = scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", true)).out;
  Flow* again = scene.meter.conversations().add(3, tcp("127.0.0.1:4000", "127.0.0.1:80", true)).out;
  CHECK(first != again);
}

TEST_CASE("meter: a channel says what is known of its ends, and at which a socket was seen", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  conversations.add(7, tcp("[::1]:4000", "10.0.0.2:80", true));
  scene.take();
  const auto& channels = scene.info.channels;
  CHECK(channels[0].medium == ChannelMedium::tcp);
  CHECK(channels[0].sender == ChannelEnd{"::1", 4000, MachineId{0}, 7});
  CHECK(channels[0].receiver == ChannelEnd{"10.0.0.2", 80, {}, 0});
  CHECK(channels[1].receiver == channels[0].sender);
  conversations.add(8, tcp("10.0.0.2:80", "[::1]:4000", false));
  scene.take();
  CHECK(channels[0].receiver == ChannelEnd{"10.0.0.2", 80, MachineId{0}, 8});
  conversations.add(1, unix_pair_end(31, 32));
  conversations.pipe(8, 15);
  scene.take();
  CHECK(channels[2].sender == ChannelEnd{"socket:[31]", 0, MachineId{0}, 1});
  CHECK(channels[4].medium == ChannelMedium::pipe);
  CHECK(channels[4].receiver == ChannelEnd{"8:15", 0, MachineId{0}, 0});
}

namespace {

SocketDescription udp(const std::string& local) {
  SocketDescription socket;
  socket.medium = Medium::udp;
  socket.local_name = local;
  return socket;
}

}  // namespace

TEST_CASE("meter: a sender with a name does not get the flow of another that has none yet", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  Socket& unbound = conversations.add(1, udp("0.0.0.0:0"));
  Socket& bound = conversations.add(2, udp("127.0.0.1:4001"));
  Socket& server = conversations.add(3, udp("127.0.0.1:53"));
  Flow& first = conversations.datagrams_to(unbound, "127.0.0.1:53");
  Flow& second = conversations.datagrams_to(bound, "127.0.0.1:53");
  CHECK(&first != &second);
  CHECK(&conversations.datagrams_from("127.0.0.1:4000", server) == &first);
  CHECK(&conversations.datagrams_from("127.0.0.1:4001", server) == &second);
}

TEST_CASE("meter: datagrams find their way whatever address their sockets are bound to", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  conversations.set_local_addresses({"10.0.0.1", "fe80::1"});
  Socket& asks = conversations.add(1, udp("0.0.0.0:0"));
  Socket& answers = conversations.add(2, udp("[::]:53"));
  Flow& first = conversations.datagrams_to(asks, "10.0.0.1:53");
  asks.description.local_name = "0.0.0.0:4000";
  CHECK(&conversations.datagrams_to(asks, "10.0.0.1:53") == &first);
  CHECK(&conversations.datagrams_from("10.0.0.1:4000", answers) == &first);
  CHECK(&conversations.datagrams_to(asks, "10.0.0.2:53") != &first);  // another machine's
  CHECK(&conversations.datagrams_from("10.0.0.3:4000", answers) != &first);
  scene.take();
  CHECK(scene.info.channels[0].sender == ChannelEnd{"0.0.0.0", 4000, MachineId{0}, 1});
}

TEST_CASE("meter: a socket that asks once and is answered has its name in both directions", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  conversations.set_local_addresses({"10.0.0.1"});
  Socket& asks = conversations.add(1, udp("0.0.0.0:0"));
  Socket& another = conversations.add(2, udp("0.0.0.0:0"));
  Flow& out = conversations.datagrams_to(asks, "10.0.0.2:53");
  Flow& of_another = conversations.datagrams_to(another, "10.0.0.2:53");
  asks.description.local_name = "0.0.0.0:4000";
  Flow& in = conversations.datagrams_from("10.0.0.2:53", asks);
  scene.take();
  CHECK(scene.info.channels[out.channel.value].sender == ChannelEnd{"0.0.0.0", 4000, MachineId{0}, 1});
  CHECK(scene.info.channels[in.channel.value].receiver == ChannelEnd{"0.0.0.0", 4000, MachineId{0}, 1});
  CHECK(scene.info.channels[of_another.channel.value].sender.port == 0);
  CHECK(&conversations.datagrams_to(asks, "10.0.0.2:53") == &out);
}

TEST_CASE("meter: datagrams both ways between equal ports of two machines are two channels", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  conversations.set_local_addresses({"10.0.0.1"});
  Socket& own = conversations.add(1, udp("0.0.0.0:7000"));
  Flow& out = conversations.datagrams_to(own, "10.0.0.2:7000");
  Flow& in = conversations.datagrams_from("10.0.0.2:7000", own);
  CHECK(&out != &in);
  CHECK(&conversations.datagrams_from("10.0.0.3:7000", own) != &in);
}

TEST_CASE("meter: a RECEIVE that begins before its data is there does not pass for the moment it came", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(10, "reader");
  Flow& pipe = scene.meter.conversations().pipe(8, 15);
  Call call = scene.call(reader, 3);
  call.takes_all = true;
  call.data_is_there = false;
  scene.meter.receives(call, pipe, {10, 10});
  scene.meter.receives(scene.call(reader, 3), pipe, {10, 10});
  scene.meter.leave(reader);
  scene.take();
  std::vector<Evidence> receives;
  for (const Event& event : scene.events)
    if (event.type == EventType::receive) receives.push_back(event.evidence);
  CHECK(receives == std::vector{Evidence::inferred, Evidence::observed});
}

TEST_CASE("meter: a connecting socket's first use shows SOCKET and CONNECT, as inferred", "[linux]") {
  Scene scene;
  MeteredThread& client = scene.process(10, "client");
  Socket& socket = scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", true));
  scene.meter.paths().uses(scene.call(client, 3), socket);
  scene.meter.paths().uses(scene.call(client, 3), socket);
  CHECK(scene.types() == std::vector{EventType::start_process, EventType::socket, EventType::connect});
  CHECK(scene.events.back().evidence == Evidence::inferred);
  CHECK(scene.events.back().channel == socket.out->channel);
  CHECK(scene.events.back().passed_channel == socket.in->channel);
}

TEST_CASE("meter: an ACCEPT gets its connection from the first use of the accepted socket", "[linux]") {
  Scene scene;
  MeteredThread& server = scene.process(10, "server");
  Socket& listener = scene.meter.conversations().add(1, tcp("0.0.0.0:80", "", false));
  scene.meter.paths().uses(scene.call(server, 3), listener);
  scene.meter.paths().accepts(scene.call(server, 3), listener);
  CHECK(scene.count(EventType::accept) == 0);
  Socket& accepted = scene.meter.conversations().add(2, tcp("127.0.0.1:80", "127.0.0.1:4000", false));
  scene.meter.paths().uses(scene.call(server, 4), accepted);
  REQUIRE(scene.count(EventType::accept) == 1);
  CHECK(scene.events.back().channel == accepted.out->channel);
  CHECK(scene.events.back().evidence == Evidence::observed);
}

TEST_CASE("meter: an accepted connection that is found nowhere is an ACCEPT without channel, and no other", "[linux]") {
  Scene scene;
  MeteredThread& server = scene.process(10, "server");
  MeteredThread& heir = scene.process(11, "heir");
  Socket& listener = scene.meter.conversations().add(1, tcp("0.0.0.0:80", "", false));
  scene.meter.paths().accepts(scene.call(server, 3), listener);
  CHECK(scene.meter.paths().old_accepts(scene.now_ns - 1).empty());
  const auto old = scene.meter.paths().old_accepts(scene.now_ns);
  REQUIRE(old.size() == 1);
  scene.meter.paths().give_up_accept(old[0], false);
  REQUIRE(scene.count(EventType::accept) == 1);
  CHECK(scene.events.back().channel.is_none());
  Socket& accepted = scene.meter.conversations().add(2, tcp("127.0.0.1:80", "127.0.0.1:4000", false));
  scene.meter.paths().uses(scene.call(heir, 4), accepted);
  CHECK(scene.count(EventType::accept) == 1);
}

TEST_CASE("meter: an accept that failed after all is not an ACCEPT", "[linux]") {
  Scene scene;
  MeteredThread& server = scene.process(10, "server");
  scene.meter.paths().accepts(scene.call(server, 3), scene.meter.conversations().add(1, tcp("0.0.0.0:80", "", false)));
  scene.meter.paths().give_up_accept(scene.meter.paths().old_accepts(scene.now_ns).at(0), true);
  CHECK(scene.count(EventType::accept) == 0);
}

TEST_CASE("meter: of several processes that accept at one listener, the one that uses a connection has it", "[linux]") {
  Scene scene;
  MeteredThread& first = scene.process(10, "first");
  MeteredThread& second = scene.process(11, "second");
  Conversations& conversations = scene.meter.conversations();
  Socket& listener = conversations.add(1, tcp("0.0.0.0:80", "", false));
  scene.meter.paths().accepts(scene.call(first, 3), listener);
  scene.meter.paths().accepts(scene.call(second, 3), listener);
  scene.meter.paths().uses(scene.call(second, 4), conversations.add(2, tcp("127.0.0.1:80", "127.0.0.1:4000", false)));
  REQUIRE(scene.count(EventType::accept) == 1);
  CHECK(scene.events.back().process == second.id());
  scene.meter.paths().uses(scene.call(first, 4), conversations.add(3, tcp("127.0.0.1:80", "127.0.0.1:4001", false)));
  REQUIRE(scene.count(EventType::accept) == 2);
  CHECK(scene.events.back().process == first.id());
}

TEST_CASE("meter: the name that the kernel told an accept says which connection it got", "[linux]") {
  Scene scene;
  MeteredThread& parent = scene.process(10, "parent");
  MeteredThread& child = scene.process(11, "child");
  Conversations& conversations = scene.meter.conversations();
  Socket& listener = conversations.add(1, tcp("0.0.0.0:80", "", false));
  const auto first = scene.meter.paths().accepts(scene.call(parent, 3), listener);
  scene.meter.paths().accepted_from(parent, first, "127.0.0.1:4000");
  const auto second = scene.meter.paths().accepts(scene.call(parent, 3), listener);
  scene.meter.paths().accepted_from(parent, second, "127.0.0.1:4001");
  Socket& later = conversations.add(2, tcp("127.0.0.1:80", "127.0.0.1:4001", false));
  scene.meter.paths().uses(scene.call(child, 4), later);
  CHECK(scene.count(EventType::accept) == 0);  // it waits for the first, which was made before it
  Socket& earlier = conversations.add(3, tcp("127.0.0.1:80", "127.0.0.1:4000", false));
  CHECK(scene.meter.paths().has_connection(parent.pid(), earlier));
  REQUIRE(scene.count(EventType::accept) == 2);
  CHECK(scene.events.back().process == parent.id());
  CHECK(scene.events.back().channel == later.out->channel);
}

TEST_CASE("meter: a name that comes after its connection was used is not that of an earlier accept", "[linux]") {
  Scene scene;
  MeteredThread& acceptor = scene.process(10, "server");
  MeteredThread& worker = scene.thread(acceptor, 11);
  Conversations& conversations = scene.meter.conversations();
  Socket& listener = conversations.add(1, tcp("0.0.0.0:80", "", false));
  const auto first = scene.meter.paths().accepts(scene.call(acceptor, 3), listener);
  scene.meter.paths().accepted_from(acceptor, first, "127.0.0.1:4000");
  const auto second = scene.meter.paths().accepts(scene.call(acceptor, 3), listener);
  scene.meter.paths().uses(scene.call(worker, 5), conversations.add(2, tcp("127.0.0.1:80", "127.0.0.1:4001", false)));
  scene.meter.paths().accepted_from(acceptor, second, "127.0.0.1:4001");
  scene.meter.paths().uses(scene.call(worker, 4), conversations.add(3, tcp("127.0.0.1:80", "127.0.0.1:4000", false)));
  REQUIRE(scene.count(EventType::accept) == 2);
  CHECK(scene.meter.paths().old_accepts(scene.now_ns).empty());
}

TEST_CASE("meter: a UNIX client that speaks before it is accepted speaks on the connection's channel", "[linux]") {
  Scene scene;
  Conversations& conversations = scene.meter.conversations();
  const Socket& client = conversations.add(1, unix_pair_end(500, 0));  // the kernel knows no inode of its peer yet
  REQUIRE(client.out != nullptr);
  const Socket& other_client = conversations.add(2, unix_pair_end(501, 0));
  const Socket& accepted = conversations.add(3, unix_pair_end(600, 500));
  CHECK(accepted.in == client.out);
  CHECK(accepted.out == client.in);
  CHECK(other_client.out != client.out);
  const Socket& later = conversations.add(4, unix_pair_end(601, 501));
  CHECK(later.in == other_client.out);
}

TEST_CASE("meter: a socketpair gives its four messages once", "[linux]") {
  Scene scene;
  MeteredThread& process = scene.process(10, "pair");
  Socket& one = scene.meter.conversations().add(1, unix_pair_end(100, 101));
  Socket& other = scene.meter.conversations().add(2, unix_pair_end(101, 100));
  scene.meter.paths().uses(scene.call(process, 3), one);
  scene.meter.paths().uses(scene.call(process, 4), other);
  CHECK(scene.types() == std::vector{EventType::start_process, EventType::socket, EventType::socket, EventType::connect,
                                     EventType::accept});
}

TEST_CASE("meter: of a socketpair that may be older than the metering, a process has the ends that it uses",
          "[linux]") {
  Scene scene;
  MeteredThread& process = scene.meter.processes().begin(
      {.pid = 10, .tid = 10, .name = "pair", .acquired = true, .flags = MeterFlags::all()}, nullptr, LocalTime{1}, 1);
  Socket& one = scene.meter.conversations().add(1, unix_pair_end(100, 101));
  scene.meter.paths().uses(scene.call(process, 3), one);
  CHECK(scene.types() == std::vector{EventType::start_process, EventType::socket, EventType::connect});
  CHECK(scene.events.back().channel == one.out->channel);
  Socket& other = scene.meter.conversations().add(2, unix_pair_end(101, 100));
  scene.meter.paths().uses(scene.call(process, 4), other);
  CHECK(scene.count(EventType::socket) == 2);
  CHECK(scene.count(EventType::connect) == 2);
  CHECK(scene.count(EventType::accept) == 0);
}

TEST_CASE("meter: another descriptor for a known socket is a DUP, another socket behind it a DESTSOCKET", "[linux]") {
  Scene scene;
  MeteredThread& process = scene.process(10, "client");
  Socket& socket = scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", true));
  Socket& second = scene.meter.conversations().add(2, tcp("127.0.0.1:4001", "127.0.0.1:80", true));
  scene.meter.paths().uses(scene.call(process, 3), socket);
  scene.meter.paths().uses(scene.call(process, 5), socket);
  CHECK(scene.count(EventType::dup) == 1);
  scene.meter.paths().uses(scene.call(process, 5), second);
  CHECK(scene.count(EventType::destroy_path) == 0);  // descriptor 3 still leads to it
  scene.meter.paths().uses(scene.call(process, 3), second);
  CHECK(scene.count(EventType::destroy_path) == 1);
}

TEST_CASE("meter: what a process has open is closed with it", "[linux]") {
  Scene scene;
  MeteredThread& process = scene.process(10, "client");
  scene.meter.paths().uses(scene.call(process, 3),
                           scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", true)));
  scene.meter.ended(process, 7, LocalTime{++scene.now_ns}, scene.now_ns);
  CHECK(scene.count(EventType::destroy_path) == 1);
  CHECK(scene.events.back().type == EventType::destroy_process);
  CHECK(scene.events.back().code == 7);
}

TEST_CASE("meter: names tell processes and threads of one program apart, and follow exec", "[linux]") {
  Scene scene;
  MeteredThread& shell = scene.process(10, "sh");
  MeteredThread& child = scene.process(11, "sh", &shell);
  scene.thread(child, 12);
  scene.meter.executed(child, "sort", "/usr/bin/sort", LocalTime{++scene.now_ns}, scene.now_ns);
  scene.take();
  REQUIRE(scene.info.processes.size() == 3);
  CHECK(scene.info.processes[0].name == "sh");
  CHECK(scene.info.processes[1].name == "sort");
  CHECK(scene.info.processes[1].program == "/usr/bin/sort");
  CHECK(scene.info.processes[2].name == "sh#2/1");
  CHECK(scene.info.processes[2].group == ProcessId{1});
}

TEST_CASE("meter: flags leave events out, and a child inherits them", "[linux]") {
  Scene scene;
  MeteredThread& parent = scene.process(10, "parent");
  scene.meter.processes().set_flags(10, apply_flags(MeterFlags{}, "send").value());
  MeteredThread& child = scene.process(11, "child", &parent);
  CHECK(child.flags.has(EventType::send));
  CHECK_FALSE(child.flags.has(EventType::receive));
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  scene.meter.sends(scene.call(child, 1), pipe, {5, 5});
  scene.meter.receives(scene.call(parent, 0), pipe, {100, 5});
  scene.meter.leave(parent);
  CHECK(scene.types() == std::vector{EventType::start_process, EventType::send});
}

TEST_CASE("meter: the I/O counters say what a read or write of a pipe moved", "[linux]") {
  Scene scene;
  MeteredThread& writer = scene.process(10, "writer");
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  scene.meter.io_counters(writer, {.read_bytes = 500, .written_bytes = 70});
  Call call = scene.call(writer, 1);
  call.counted_in_io = true;
  scene.meter.sends(call, pipe, {4096, 4096});
  CHECK(scene.count(EventType::send) == 0);
  scene.meter.io_counters(writer, {.read_bytes = 500, .written_bytes = 1070});
  REQUIRE(scene.count(EventType::send) == 1);
  CHECK(scene.events.back().length_bytes == 1000);
}

TEST_CASE("meter: of a UNIX stream, what was sent and waits no more has been received", "[linux]") {
  Scene scene;
  MeteredThread& sender = scene.process(10, "sender");
  MeteredThread& receiver = scene.process(11, "receiver");
  Flow& flow = *scene.meter.conversations().add(1, unix_pair_end(31, 32)).out;
  CHECK_FALSE(scene.meter.received(flow, 0, false));  // no send was seen
  scene.meter.sends(scene.call(sender, 3), flow, {100, 100});
  CHECK(scene.meter.received(flow, 100, false)->certain);  // it waits, so it was made
  scene.meter.receives(scene.call(receiver, 4), flow, {1000, 100, 0});
  scene.meter.sends(scene.call(sender, 3), flow, {50, 50});
  CHECK_FALSE(scene.meter.received(flow, 0, false)->certain);  // not made yet, or received as well
  scene.call(sender, 3);
  const auto received = scene.meter.received(flow, 0, false);
  REQUIRE(received->certain);
  CHECK(received->bytes == 150);
  scene.meter.receives(scene.call(receiver, 4), flow, {1000, 0, received->bytes});
  scene.take();
  REQUIRE(scene.events.back().type == EventType::receive);
  CHECK(scene.events.back().length_bytes == 150);
  CHECK(scene.meter.gaps().bytes == 0);
}

TEST_CASE("meter: receives of a UNIX stream stay open until it is known how much was sent", "[linux]") {
  Scene scene;
  MeteredThread& sender = scene.process(10, "sender");
  MeteredThread& receiver = scene.process(11, "receiver");
  Flow& flow = *scene.meter.conversations().add(1, unix_pair_end(31, 32)).out;
  scene.meter.sends(scene.call(sender, 3), flow, {300, 300});
  Amount amount{1000, 200};
  amount.stands_beyond = 0;
  scene.meter.receives(scene.call(receiver, 4), flow, amount);  // 260 came
  amount.asked = amount.probable = 40;
  amount.stands_beyond = 200;
  scene.meter.receives(scene.call(receiver, 4), flow, amount);
  CHECK(flow.received.has_open());
  scene.call(receiver, 4);
  scene.meter.resolve_at(scene.call(receiver, 4), flow, false, 300);
  scene.take();
  REQUIRE(scene.events.back().type == EventType::receive);
  CHECK(scene.events.back().length_bytes == 40);
  CHECK(scene.events[scene.events.size() - 2].length_bytes == 260);
  CHECK(scene.meter.gaps().bytes == 0);
}

TEST_CASE("meter: a send that may move a part leaves it open how much was received", "[linux]") {
  Scene scene;
  MeteredThread& sender = scene.process(10, "sender");
  Flow& flow = *scene.meter.conversations().add(1, unix_pair_end(31, 32)).out;
  Amount amount{100, 100};
  amount.moves_all = false;
  scene.meter.sends(scene.call(sender, 3), flow, amount);
  scene.call(sender, 3);
  CHECK_FALSE(scene.meter.received(flow, 0, false));
}

TEST_CASE("stream balance: sends of several threads that may not have been made yet", "[linux]") {
  StreamBalance balance;
  balance.add({1, 1, 10}, true);
  balance.add({2, 1, 30}, true);
  CHECK_FALSE(balance.received({100, 60, 0, false, 0})->certain);
  CHECK_FALSE(balance.received({100, 60, 30, false, 0})->certain);  // the one of 10 is missing, perhaps
  CHECK(balance.received({100, 60, 31, false, 0})->bytes == 69);
  CHECK(balance.received({100, 69, 0, true, 0})->bytes == 100);  // the end: none is under way
}

TEST_CASE("stream balance: of a long send a part may be there", "[linux]") {
  StreamBalance balance;
  balance.add({1, 1, 100'000}, true);
  CHECK_FALSE(balance.received({100'000, 0, 65'536, false, 0})->certain);
  CHECK(balance.received({100'000, 0, 100'000, false, 0})->certain);
}

TEST_CASE("meter: I/O counters that went back are another thread's and tell nothing", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(10, "reader");
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  scene.meter.io_counters(reader, {.read_bytes = 500, .written_bytes = 70});
  Call call = scene.call(reader, 0);
  call.counted_in_io = true;
  scene.meter.receives(call, pipe, {4096, 5});
  scene.meter.io_counters(reader, {.read_bytes = 256, .written_bytes = 70});
  REQUIRE(scene.count(EventType::receive) == 1);
  CHECK(scene.events.back().length_bytes == 5);
}

TEST_CASE("meter: after an exec the I/O counters do not tell what the last call before it moved", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(10, "sh");
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  scene.meter.io_counters(reader, {.read_bytes = 500, .written_bytes = 70});
  Call call = scene.call(reader, 0);
  call.counted_in_io = true;
  scene.meter.receives(call, pipe, {4096, 5});
  scene.meter.executed(reader, "sort", "/usr/bin/sort", LocalTime{++scene.now_ns}, scene.now_ns);
  scene.meter.io_counters(reader, {.read_bytes = 505 + 256, .written_bytes = 70});  // with what the kernel read of it
  scene.meter.leave(reader);
  REQUIRE(scene.count(EventType::receive) == 1);
  CHECK(std::find_if(scene.events.begin(), scene.events.end(), [](const Event& event) {
          return event.type == EventType::receive;
        })->length_bytes == 5);
}

// As the supervisor does it: what was taken shows by what is missing at the next look.
void take_units(Scene& scene, MeteredThread& by, Flow& flow, std::uint64_t count) {
  const Call call = scene.call(by, 3);
  if (const auto received = scene.meter.received(flow, count, false))
    scene.meter.settle_units(call, flow, *received, count);
  if (count > 0) scene.meter.takes_units(call, flow, {.id = 9, .count = count});
}

TEST_CASE("meter: units that come between the look and the read of an eventfd are a part of the read", "[linux]") {
  Scene scene;
  MeteredThread& writer = scene.process(1, "writer");
  MeteredThread& reader = scene.process(2, "reader");
  Flow& flow = scene.meter.conversations().eventfds().used_by(2, 9, 0);
  scene.meter.adds_units(scene.call(writer, 3), flow, 1);
  take_units(scene, reader, flow, 1);
  scene.meter.adds_units(scene.call(writer, 3), flow, 2);  // the read takes these, too
  scene.meter.adds_units(scene.call(writer, 3), flow, 4);
  ++writer.call_number;  // it is over
  take_units(scene, reader, flow, 4);
  scene.meter.leave(reader);
  std::vector<std::uint32_t> received;
  scene.take();
  for (const Event& event : scene.events)
    if (event.type == EventType::receive) received.push_back(event.length_bytes);
  CHECK(received == std::vector<std::uint32_t>{3, 4});
  CHECK(scene.count(EventType::gap) == 0);
}

TEST_CASE("meter: units of a write that is being made count for the next read of an eventfd", "[linux]") {
  Scene scene;
  MeteredThread& writer = scene.process(1, "writer");
  MeteredThread& reader = scene.process(2, "reader");
  Flow& flow = scene.meter.conversations().eventfds().used_by(2, 9, 0);
  scene.meter.adds_units(scene.call(writer, 3), flow, 5);
  take_units(scene, reader, flow, 5);
  scene.meter.adds_units(scene.call(writer, 3), flow, 2);  // the read takes these, too, and the meter cannot know
  take_units(scene, reader, flow, 0);
  scene.meter.adds_units(scene.call(writer, 3), flow, 1);
  ++writer.call_number;
  take_units(scene, reader, flow, 1);
  take_units(scene, reader, flow, 0);
  std::uint64_t received = 0;
  scene.take();
  for (const Event& event : scene.events)
    if (event.type == EventType::receive) received += event.length_bytes;
  CHECK(received == 8);
  CHECK(scene.count(EventType::gap) == 0);
}

TEST_CASE("meter: units that were added to an eventfd unseen are a gap", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(2, "reader");
  Flow& flow = scene.meter.conversations().eventfds().used_by(2, 9, 0);
  take_units(scene, reader, flow, 3);
  scene.meter.leave(reader);
  CHECK(scene.count(EventType::gap) == 1);
  CHECK(scene.count(EventType::receive) == 1);
}

TEST_CASE("meter: the number of an eventfd is another eventfd's when no process is left that used it", "[linux]") {
  Scene scene;
  MeteredThread& parent = scene.process(1, "parent");
  MeteredThread& child = scene.process(2, "child", &parent);
  Eventfds& eventfds = scene.meter.conversations().eventfds();
  const ChannelId first = eventfds.used_by(1, 9, 0).channel;
  CHECK(eventfds.used_by(2, 9, 1).channel == first);
  scene.meter.ended(child, 0, {}, 0);
  CHECK(eventfds.used_by(1, 9, 1).channel == first);
  scene.meter.ended(parent, 0, {}, 0);
  CHECK(eventfds.size() == 0);
  CHECK(eventfds.used_by(3, 9, 0).channel != first);
}

TEST_CASE("meter: a wait says for whom and how long", "[linux]") {
  Scene scene;
  MeteredThread& parent = scene.process(1, "parent");
  MeteredThread& child = scene.process(2, "child", &parent);
  const ProcessId ended = child.id();
  scene.meter.ended(child, 0, LocalTime{5000}, 5000);
  scene.meter.processes().waited(scene.call(parent, 0), ended, WaitKind::process_end, 4000, Evidence::observed);
  scene.take();
  const Event& wait = scene.events.back();
  CHECK(wait.type == EventType::wait);
  CHECK(wait.process == parent.id());
  CHECK(wait.peer == ended);
  CHECK(wait.sequence == 4000);
  CHECK(wait.code == static_cast<std::uint32_t>(WaitKind::process_end));
}

}  // namespace dpm
