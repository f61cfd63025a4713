// The meter reports "0 lost" of what was compared with the kernel's counts, and names the rest.
#include "backends/linux/calls/kernel_checks.hpp"

#include "backends/linux/calls/meter.hpp"
#include "model/unchecked.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

SocketDescription connected(Medium medium, const std::string& local, const std::string& peer) {
  SocketDescription socket;
  socket.medium = medium;
  socket.domain = 2;
  socket.type = medium == Medium::udp ? 2 : 1;
  socket.connected = true;
  socket.local_name = local;
  socket.peer_name = peer;
  return socket;
}

struct Scene {
  Meter meter;
  std::int64_t now_ns = 0;
  MeteredThread& process = meter.processes().begin({.pid = 10, .tid = 10, .name = "p", .flags = MeterFlags::all()},
                                                   nullptr, LocalTime{1}, 1);

  Call call(std::int32_t descriptor, bool counted_in_io = false) {
    ++process.call_number;
    now_ns += 1000;
    return {.thread = &process,
            .time = LocalTime{now_ns},
            .now_ns = now_ns,
            .descriptor = descriptor,
            .counted_in_io = counted_in_io};
  }
  std::vector<std::string> at_the_end() {
    meter.leave(process);
    meter.finish(LocalTime{now_ns}, now_ns);
    return meter.check_warnings();
  }
};

}  // namespace

TEST_CASE("kernel checks: a TCP connection that was looked at after its last operation is checked", "[linux]") {
  Scene scene;
  Socket& socket = scene.meter.conversations().add(1, connected(Medium::tcp, "127.0.0.1:1", "127.0.0.1:2"));
  scene.meter.sends(scene.call(5), *socket.out, {100, 100, 0});
  scene.meter.receives(scene.call(5), *socket.in, {100, 40, 0});
  SECTION("looked at") {
    scene.meter.resolve_at(scene.call(5), *socket.out, true, 100);
    scene.meter.resolve_at(scene.call(5), *socket.in, false, 40);
    CHECK(scene.at_the_end().empty());
  }
  SECTION("not looked at") {
    const auto warnings = scene.at_the_end();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] ==
          "not checkable: the length of the last 2 operations at 2 ends of TCP connections, closed before "
          "they could be looked at again");
    CHECK(has_not_checkable(warnings));
  }
  SECTION("looked at, and less than was recorded") {
    scene.meter.leave(scene.process);
    scene.meter.resolve_at(scene.call(5), *socket.out, true, 90);
    scene.meter.resolve_at(scene.call(5), *socket.in, false, 40);
    const auto warnings = scene.at_the_end();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "10 bytes were recorded at 1 end of TCP connections beyond the count of the kernel");
  }
}

TEST_CASE("kernel checks: the end of a TCP socket tells the length of its last operations", "[linux]") {
  Scene scene;
  scene.meter.paths().expect_ends(true);
  Socket& socket = scene.meter.conversations().add(1, connected(Medium::tcp, "127.0.0.1:1", "127.0.0.1:2"));
  scene.meter.paths().uses(scene.call(5), socket);
  scene.meter.sends(scene.call(5), *socket.out, {100, 100, 0});
  scene.meter.receives(scene.call(5), *socket.in, {100, 40, 0});
  Socket& next = scene.meter.conversations().add(2, connected(Medium::tcp, "127.0.0.1:3", "127.0.0.1:2"));
  scene.meter.paths().uses(scene.call(5), next);  // at the descriptor of the first, which is closed
  CHECK(scene.meter.awaits_ends());
  const auto lengths = [&scene] {
    std::vector<std::uint32_t> found;
    for (const Event& event : scene.meter.take().events)
      if (event.type == EventType::send || event.type == EventType::receive || event.type == EventType::gap)
        found.push_back(event.length_bytes);
    return found;
  };
  ClosedSocket closed{.cookie = 1, .tcp = ClosedSocket::Tcp{.written = 100, .acknowledged = 101, .received = 41}};
  SECTION("which are as was thought") {
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    CHECK(lengths() == std::vector<std::uint32_t>{100, 40});
    CHECK(scene.meter.gaps().bytes == 0);
  }
  SECTION("which are not") {
    closed.tcp = {.written = 60, .acknowledged = 61, .received = 31};
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    CHECK(lengths() == std::vector<std::uint32_t>{60, 30});
    CHECK(scene.meter.gaps().bytes == 0);
  }
  SECTION("after which others moved bytes unseen") {
    closed.tcp = {.written = 170, .acknowledged = 171, .received = 151};
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    CHECK(lengths() == std::vector<std::uint32_t>{100, 100, 70, 50});
    CHECK(scene.meter.gaps().bytes == 120);
  }
  CHECK_FALSE(scene.meter.awaits_ends());
  CHECK(scene.at_the_end().empty());
}

TEST_CASE(
    "kernel checks: bytes that passed unseen are a GAP of the process that used the socket, at its end at the latest",
    "[linux]") {
  Scene scene;
  Socket& socket = scene.meter.conversations().add(1, connected(Medium::tcp, "127.0.0.1:1", "127.0.0.1:2"));
  scene.meter.sends(scene.call(5), *socket.out, {100, 100, 0});
  const ClosedSocket closed{.cookie = 1, .tcp = ClosedSocket::Tcp{.written = 150, .acknowledged = 151}};
  const ProcessId process = scene.process.id();
  const auto begin_another = [&](std::uint32_t pid) -> MeteredThread& {
    return scene.meter.processes().begin({.pid = pid, .tid = pid, .name = "q", .flags = MeterFlags::all()}, nullptr,
                                         LocalTime{1}, 1);
  };
  MeteredThread& other = begin_another(11);
  SECTION("which lives") {
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    const auto events = scene.meter.take().events;
    CHECK(events.back().type == EventType::gap);
    CHECK(events.back().process == process);
    CHECK(events.back().local_time == LocalTime{9000});
    CHECK(scene.meter.gaps().unplaced_bytes == 0);
  }
  SECTION("which has ended") {
    scene.meter.ended(scene.process, 0, LocalTime{8000}, 8000);
    scene.meter.take();
    scene.meter.forget_ended();
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    const auto events = scene.meter.take().events;
    REQUIRE(events.size() == 1);
    CHECK(events.back().type == EventType::gap);
    CHECK(events.back().process == process);
    CHECK(events.back().local_time == LocalTime{8000});
    CHECK(scene.meter.gaps().unplaced_bytes == 0);
  }
  SECTION("which has ended, and many since") {
    scene.meter.ended(scene.process, 0, LocalTime{8000}, 8000);
    for (std::uint32_t i = 0; i < Processes::kEndedKept; ++i)
      scene.meter.ended(begin_another(100 + i), 0, LocalTime{8001}, 8001);
    scene.meter.take();
    scene.meter.forget_ended();
    scene.meter.closed(closed, LocalTime{9000}, 9000);
    CHECK(scene.meter.take().events.empty());
    CHECK(scene.meter.gaps().unplaced_bytes == 50);
  }
  CHECK_FALSE(other.ended);
  CHECK(scene.meter.gaps().bytes == 50);
}

TEST_CASE("kernel checks: what the thread's I/O counters told of a pipe is checked, and nothing else of it",
          "[linux]") {
  Scene scene;
  Flow& pipe = scene.meter.conversations().pipe(15, 1);
  scene.meter.sends(scene.call(5, true), pipe, {7, 7});
  SECTION("read") {
    scene.meter.io_counters(scene.process, {0, 7});
    CHECK(scene.at_the_end().empty());
  }
  SECTION("not read") {
    const auto warnings = scene.at_the_end();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "not checkable: the length of 1 operation at 1 end of pipes, UNIX streams and eventfds");
  }
}

TEST_CASE("kernel checks: a stream of which more is received than was sent is reported as wrong", "[linux]") {
  Scene scene;
  Flow& pipe = scene.meter.conversations().pipe(15, 1);
  scene.meter.sends(scene.call(5, true), pipe, {7, 7});
  scene.meter.io_counters(scene.process, {0, 7});
  scene.meter.receives(scene.call(6, true), pipe, {100, 7});
  scene.meter.io_counters(scene.process, {57, 7});
  const auto warnings = scene.at_the_end();
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0],
             Catch::StartsWith("50 bytes of 1 stream were received beyond the amount seen to be sent there"));
}

TEST_CASE("kernel checks: of datagrams it is reported how many there were, on how many sockets", "[linux]") {
  Scene scene;
  Socket& socket = scene.meter.conversations().add(1, connected(Medium::udp, "127.0.0.1:1", "127.0.0.1:2"));
  for (int i = 0; i < 3; ++i) {
    const Call call = scene.call(5);
    scene.meter.paths().uses(call, socket);
    scene.meter.sends_datagram(call, scene.meter.conversations().datagrams_to(socket, "127.0.0.1:2"), {.bytes = 10});
  }
  CHECK(scene.at_the_end() == std::vector<std::string>{"not checkable: 3 datagrams on 1 socket"});
}

TEST_CASE("kernel checks: a connection is checked when it is forgotten", "[linux]") {
  Scene scene;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    const bool first = id == 1;
    Socket& socket = scene.meter.conversations().add(
        id, connected(Medium::tcp, first ? "127.0.0.1:1" : "127.0.0.1:2", first ? "127.0.0.1:2" : "127.0.0.1:1"));
    if (first) scene.meter.sends(scene.call(5), *socket.out, {100, 100, 0});
  }
  for (int i = 0; i < 3; ++i) {
    scene.meter.conversations().begin_survey();
    scene.meter.paths().end_survey({}, {});
  }
  CHECK(scene.meter.check_warnings().size() == 1);
  CHECK(scene.at_the_end().size() == 1);
}

}  // namespace dpm
