// The meter forgets what is closed: its tables are bounded by what is open, and what was recorded stays right.
#include <algorithm>

#include "backends/linux/calls/meter.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

SocketDescription tcp(std::uint64_t inode, const std::string& local, const std::string& peer, bool connecting) {
  SocketDescription socket;
  socket.medium = Medium::tcp;
  socket.domain = 2;
  socket.type = 1;
  socket.protocol = 6;
  socket.connected = true;
  socket.local_name = local;
  socket.peer_name = peer;
  socket.inode = inode;
  socket.syn_counted = connecting;
  return socket;
}

SocketDescription udp(const std::string& local) {
  SocketDescription socket;
  socket.medium = Medium::udp;
  socket.domain = 2;
  socket.type = 2;
  socket.local_name = local;
  return socket;
}

// A meter whose one process opens and closes connections.
struct Scene {
  Meter meter;
  std::vector<Event> events;
  TraceInfo info;
  OpenFiles open;
  std::int64_t now_ns = 0;
  MeteredThread& process = meter.processes().begin({.pid = 10, .tid = 10, .name = "server", .flags = MeterFlags::all()},
                                                   nullptr, LocalTime{1}, 1);

  Conversations& conversations() { return meter.conversations(); }

  Call call(std::int32_t descriptor) {
    ++process.call_number;
    now_ns += 1000;
    return {.thread = &process, .time = LocalTime{now_ns}, .now_ns = now_ns, .descriptor = descriptor};
  }
  // An open socket, with its inode as its identity, that the process uses by that descriptor.
  Socket& use(std::int32_t descriptor, std::uint64_t id, const std::string& local, const std::string& peer,
              bool connecting) {
    Socket* known = conversations().find(id);
    Socket& socket = known != nullptr ? *known : conversations().add(id, tcp(id, local, peer, connecting));
    open.sockets.insert(id);
    meter.paths().uses(call(descriptor), socket);
    return socket;
  }
  void close(std::uint64_t id) { open.sockets.erase(id); }
  void survey() {
    conversations().begin_survey();
    meter.paths().end_survey(open, {});
    meter.forget_ended();
  }
  void survey_if_due() {
    if (conversations().wants_survey()) survey();
  }
  void take() {
    RecordBatch batch = meter.take();
    batch.growth.add_to(info);
    events.insert(events.end(), batch.events.begin(), batch.events.end());
  }
};

std::string port(std::size_t number) { return "127.0.0.1:" + std::to_string(number); }

}  // namespace

TEST_CASE("forgetting: connections that were closed at both ends leave nothing behind", "[linux]") {
  Scene scene;
  constexpr std::size_t kConnections = 50'000;
  std::size_t flows_max = 0, names_max = 0;
  for (std::size_t i = 0; i < kConnections; ++i) {
    const std::uint64_t client_id = 2 * i + 1, server_id = 2 * i + 2;
    const std::string from = port(1024 + i % 28'000);
    Socket& client = scene.use(5, client_id, from, port(80), true);
    scene.meter.sends(scene.call(5), *client.out, {8, 8, 0});
    Socket& server = scene.use(6, server_id, port(80), from, false);
    CHECK(server.in == client.out);
    scene.meter.receives(scene.call(6), *server.in, {64, 8, 0});
    scene.close(client_id);
    scene.close(server_id);
    scene.survey_if_due();
    const auto sizes = scene.conversations().sizes();
    flows_max = std::max(flows_max, sizes.flows);
    names_max = std::max(names_max, sizes.names);
    scene.take();
  }
  constexpr std::size_t kBound = 4 * Conversations::kSurveyEvery;
  CHECK(flows_max <= kBound);
  CHECK(names_max <= kBound);
  CHECK(scene.process.open_operations <= 2);
  CHECK(scene.process.open_ends().size() <= 2);
  // Every message is there, with its length, on a channel of its own connection.
  scene.take();
  std::vector<std::uint32_t> channels;
  for (const auto& event : scene.events)
    if (event.type == EventType::send) channels.push_back(event.channel.value);
  CHECK(channels.size() >= kConnections - 1);
  std::sort(channels.begin(), channels.end());
  CHECK(std::adjacent_find(channels.begin(), channels.end()) == channels.end());
}

TEST_CASE("forgetting: a connection stays while one of its ends is open", "[linux]") {
  Scene scene;
  Socket& client = scene.use(5, 1, port(4000), port(80), true);
  Flow* const flow = client.out;
  scene.use(6, 2, port(80), port(4000), false);
  scene.close(1);
  for (int i = 0; i < 5; ++i) scene.survey();
  REQUIRE(scene.conversations().find(2) != nullptr);
  CHECK(scene.conversations().find(2)->in == flow);
  CHECK(scene.conversations().sizes().flows == 2);
  scene.close(2);
  scene.survey();
  CHECK(scene.conversations().sizes().flows == 2);  // one survey may miss a descriptor that is being passed
  scene.survey();
  CHECK(scene.conversations().sizes().flows == 0);
  CHECK(scene.conversations().sizes().sockets == 0);
  CHECK(scene.conversations().sizes().names == 0);
}

TEST_CASE("forgetting: a socket that is used while a survey misses it is open", "[linux]") {
  Scene scene;
  Socket& socket = scene.use(5, 1, port(4000), port(80), true);
  Flow* const flow = socket.out;
  scene.close(1);  // on its way to another process
  scene.survey();
  scene.conversations().begin_survey();
  scene.meter.paths().uses(scene.call(7), socket);
  scene.meter.paths().end_survey(OpenFiles{}, {});
  scene.survey();
  REQUIRE(scene.conversations().find(1) != nullptr);
  CHECK(scene.conversations().find(1)->out == flow);
}

TEST_CASE("forgetting: a closed client's messages wait for a server that has not read them yet", "[linux]") {
  Scene scene;
  Socket& client = scene.use(5, 1, port(4000), port(80), true);
  Flow* const flow = client.out;
  scene.meter.sends(scene.call(5), *flow, {8, 8, 0});
  scene.close(1);
  for (int i = 0; i < 3; ++i) scene.survey();
  Socket& server = scene.use(6, 2, port(80), port(4000), false);
  CHECK(server.in == flow);
  // The number of connections whose other end is never seen is bounded.
  for (std::size_t i = 0; i < 3 * Conversations::kLingerMax; ++i) {
    scene.use(7, 100 + i, port(10'000 + i), "10.0.0.1:80", true);
    scene.close(100 + i);
    scene.survey_if_due();
  }
  CHECK(scene.conversations().sizes().sockets <= Conversations::kLingerMax + 4 * Conversations::kSurveyEvery);
}

TEST_CASE("forgetting: an operation is settled before its connection is forgotten", "[linux]") {
  Scene scene;
  Socket& client = scene.use(5, 1, port(4000), port(80), true);
  scene.meter.sends(scene.call(5), *client.out, {100, 100, 0});
  scene.close(1);
  scene.take();
  CHECK(std::none_of(scene.events.begin(), scene.events.end(),
                     [](const Event& event) { return event.type == EventType::send; }));
  SECTION("when its descriptor shows another socket") { scene.use(5, 2, port(4001), port(80), true); }
  SECTION("when its process ends") { scene.meter.ended(scene.process, 0, LocalTime{scene.now_ns}, scene.now_ns); }
  SECTION("when it is forgotten") {
    for (std::size_t i = 0; i <= 2 * Conversations::kLingerMax; ++i) {
      scene.conversations().add(1000 + i, tcp(1000 + i, port(20'000 + i), "10.0.0.1:80", true));
      scene.survey_if_due();
    }
    for (int i = 0; i < 3; ++i) scene.survey();
  }
  scene.take();
  const auto sent = std::find_if(scene.events.begin(), scene.events.end(),
                                 [](const Event& event) { return event.type == EventType::send; });
  REQUIRE(sent != scene.events.end());
  CHECK(sent->length_bytes == 100);
}

TEST_CASE("forgetting: local names that are used again are another connection", "[linux]") {
  Scene scene;
  const ChannelId first = scene.use(5, 1, port(4000), port(80), true).out->channel;
  scene.use(6, 2, port(80), port(4000), false);
  scene.close(1);
  scene.close(2);
  SECTION("soon") {}
  SECTION("when the first is forgotten") {
    for (int i = 0; i < 3; ++i) scene.survey();
  }
  Socket& again = scene.use(5, 3, port(4000), port(80), true);
  Socket& server = scene.use(6, 4, port(80), port(4000), false);
  CHECK(again.out->channel != first);
  CHECK(again.out == server.in);
}

TEST_CASE("forgetting: pipes that no process has open are forgotten", "[linux]") {
  Scene scene;
  std::size_t pipes_max = 0;
  for (std::uint64_t inode = 1; inode <= 50'000; ++inode) {
    scene.meter.sends(scene.call(5), scene.conversations().pipe(15, inode), {7, 7});
    scene.meter.receives(scene.call(6), scene.conversations().pipe(15, inode), {64, 7});
    scene.survey_if_due();
    pipes_max = std::max(pipes_max, scene.conversations().sizes().pipes);
  }
  CHECK(pipes_max <= 4 * Conversations::kSurveyEvery);
  scene.take();
  std::uint64_t received = 0;
  for (const auto& event : scene.events)
    if (event.type == EventType::receive) received += event.length_bytes;
  CHECK(received == 50'000 * 7);
  Flow& kept = scene.conversations().pipe(15, 50'001);
  scene.open.pipes.insert(50'001);
  for (int i = 0; i < 5; ++i) scene.survey();
  CHECK(&scene.conversations().pipe(15, 50'001) == &kept);
}

TEST_CASE("forgetting: a process that cannot be surveyed counts as having open what it last used", "[linux]") {
  Scene scene;
  Flow* const flow = scene.use(5, 1, port(4000), port(80), true).out;
  Flow* const pipe = &scene.conversations().pipe(15, 1);
  scene.use(6, 2, port(4001), port(80), true);
  scene.use(6, 3, port(4002), port(80), true);
  for (int i = 0; i < 5; ++i) {
    scene.conversations().begin_survey();
    scene.meter.paths().end_survey(OpenFiles{}, {10});
  }
  CHECK(scene.conversations().find(1)->out == flow);
  CHECK(scene.conversations().find(2)->closed);
  CHECK(&scene.conversations().pipe(15, 1) == pipe);
}

TEST_CASE("forgetting: the peers of a datagram server are bounded, and one that comes again is a new channel",
          "[linux]") {
  Scene scene;
  Socket& server = scene.conversations().add(1, udp("127.0.0.1:53"));
  const ChannelId first = scene.conversations().datagrams_from("10.0.0.1:1", server).channel;
  CHECK(scene.conversations().datagrams_from("10.0.0.1:1", server).channel == first);
  for (std::size_t i = 0; i < 100'000; ++i) {
    const std::string peer = "10.0." + std::to_string(i / 60'000) + ".2:" + std::to_string(1024 + i % 60'000);
    scene.conversations().datagrams_from(peer, server);
    CHECK(scene.conversations().sizes().flows <= DatagramFlows::kFlowsMax);
  }
  scene.meter.forget_ended();
  CHECK(scene.conversations().datagrams_from("10.0.0.1:1", server).channel != first);
}

}  // namespace dpm
