// Lengths of calls that other calls blur, and descriptors that were never used.
#include <vector>

#include "tests/backends/linux/calls/scene.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("meter: I/O counters that include other calls tell only what a read moved at most", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(10, "reader");
  SocketDescription end;
  end.medium = Medium::unix_stream;
  end.connected = true;
  end.inode = 31;
  end.peer_inode = 32;
  Flow& stream = *scene.meter.conversations().add(1, end).in;
  const auto read = [&](std::uint64_t waiting, const ThreadFiles::Transferred& after) {
    Call call = scene.call(reader, 0);
    call.counted_in_io = true;
    scene.meter.receives(call, stream, {1000, waiting});
    scene.meter.io_counters(reader, after);
    scene.count(EventType::receive);
    return scene.events.back().length_bytes;
  };
  scene.meter.io_counters(reader, {.read_bytes = 500, .reads = 3});
  CHECK(read(40, {.read_bytes = 600, .reads = 4}) == 100);  // more came meanwhile
  CHECK(read(40, {.read_bytes = 900, .reads = 6}) == 40);   // a pread() of a file
  CHECK(read(40, {.read_bytes = 930, .reads = 8}) == 30);   // one that read nothing
  read(0, {.read_bytes = 1200, .reads = 10});               // at the end of the stream
  CHECK(scene.count(EventType::receive) == 3);
}

TEST_CASE("meter: what waits in a pipe tells what a read moved whose I/O counters include other calls", "[linux]") {
  Scene scene;
  MeteredThread& reader = scene.process(10, "reader");
  MeteredThread& writer = scene.process(11, "writer");
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  scene.meter.io_counters(writer, {.written_bytes = 0, .writes = 0});
  scene.meter.io_counters(reader, {.read_bytes = 500, .reads = 3});
  Call write = scene.call(writer, 1), read = scene.call(reader, 0);
  write.counted_in_io = read.counted_in_io = true;
  scene.meter.sends(write, pipe, {100, 100});
  scene.meter.io_counters(writer, {.written_bytes = 100, .writes = 1});
  scene.meter.receives(read, pipe, {1000, 40});
  scene.meter.io_counters(reader, {.read_bytes = 1000, .reads = 5});  // a pread() of a file
  CHECK(scene.count(EventType::receive) == 0);
  CHECK(scene.meter.settle_pipe(pipe, 30));
  REQUIRE(scene.count(EventType::receive) == 1);
  CHECK(scene.events.back().length_bytes == 70);
}

TEST_CASE("meter: of a transfer, the end that the kernel tells shows what both moved", "[linux]") {
  Scene scene;
  MeteredThread& proxy = scene.process(10, "proxy");
  Flow& pipe = scene.meter.conversations().pipe(1, 2);
  Socket& socket = scene.meter.conversations().add(1, tcp("127.0.0.1:80", "127.0.0.1:4000", false));
  const auto lengths = [&](EventType type) {
    std::vector<std::uint32_t> found;
    scene.count(type);
    for (const Event& event : scene.events)
      if (event.type == type) found.push_back(event.length_bytes);
    return found;
  };
  const Call in = scene.call(proxy, 3);
  scene.meter.receives(in, *socket.in, {.asked = 65536, .probable = 1000, .offset = 0, .tells_other_end = true});
  scene.meter.sends(in, pipe, {.asked = 65536, .probable = 1000, .told_by_other_end = true});
  ++proxy.call_number;
  scene.meter.resolve_at(scene.call(proxy, 3), *socket.in, false, 3000);
  CHECK(lengths(EventType::receive) == std::vector<std::uint32_t>{3000});
  CHECK(lengths(EventType::send) == std::vector<std::uint32_t>{3000});
  const Call out = scene.call(proxy, 4);
  scene.meter.receives(out, pipe, {.asked = 3000, .probable = 3000, .told_by_other_end = true});
  scene.meter.sends(out, *socket.out, {.asked = 3000, .probable = 3000, .offset = 0, .tells_other_end = true});
  scene.meter.transferred(out, {&pipe, false}, *socket.out);
  ++proxy.call_number;
  scene.meter.resolve_at(scene.call(proxy, 4), *socket.out, true, 2500);
  CHECK(lengths(EventType::receive) == std::vector<std::uint32_t>{3000, 2500});
  CHECK(lengths(EventType::send) == std::vector<std::uint32_t>{3000, 2500});
  scene.meter.receives(out, pipe, {.asked = 500, .probable = 500, .told_by_other_end = true});
  scene.meter.transferred(out, {&pipe, false}, *socket.out);  // it could not be sent
  CHECK(lengths(EventType::receive) == std::vector<std::uint32_t>{3000, 2500, 500});
}

TEST_CASE("meter: a socket ends with the last of its descriptors, though none was used before it was duplicated",
          "[linux]") {
  Scene scene;
  MeteredThread& process = scene.process(10, "client");
  scene.meter.paths().are_told();
  Socket& socket = scene.meter.conversations().add(1, tcp("127.0.0.1:4000", "127.0.0.1:80", false));
  for (int round = 0; round < 3; ++round) {
    scene.meter.paths().duplicates(scene.call(process, 3), socket, 20);
    scene.meter.paths().uses(scene.call(process, 20), socket);
    scene.meter.paths().closes(scene.call(process, 20));
  }
  CHECK(scene.count(EventType::dup) == 3);
  CHECK(scene.count(EventType::accept) == 1);
  CHECK(scene.count(EventType::destroy_path) == 0);
  scene.meter.paths().closes(scene.call(process, 3));
  CHECK(scene.count(EventType::destroy_path) == 1);
}

}  // namespace dpm
