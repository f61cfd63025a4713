// Waits for room in a pipe or a connection: by hand.
#include "analysis/blame/blame.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kPage = 4096;

// `writer` fills a pipe of 16 pages at 0, and sends a page more, which ends at 1000: `reader` reads a page at 990, after it has slept.
struct Pipeline {
  std::vector<Event> events;
  std::vector<std::int64_t> times_ns;
  TraceInfo info;

  explicit Pipeline(ChannelMedium medium = ChannelMedium::pipe) {
    info.machines = {{"red"}};
    info.processes = {{"writer", "", MachineId{0}}, {"reader", "", MachineId{0}}};
    info.channels.push_back({ProcessId{1}, "pipe", ChannelKind::stream, medium});
    info.wait_causes = {{ProcessId{1}, WaitReason::timer, ProcessId{}, "", 1000}};
  }
  Event& add(std::uint32_t process, std::int64_t time_ns, EventType type, std::uint64_t cpu_ns) {
    Event event;
    event.process.value = process;
    event.machine = MachineId{0};
    event.type = type;
    event.proc_time_ns = cpu_ns;
    event.ready_time_ns = event.disk_time_ns = 0;
    events.push_back(event);
    times_ns.push_back(time_ns);
    return events.back();
  }
  void page(std::uint32_t process, std::int64_t time_ns, std::uint32_t number, std::uint64_t cpu_ns) {
    Event& event = add(process, time_ns, process == 0 ? EventType::send : EventType::receive, cpu_ns);
    event.peer.value = 1 - process;
    event.channel.value = 0;
    event.sequence = std::uint64_t{number} * kPage;
    event.length_bytes = kPage;
  }
  Pipeline& fill(std::uint32_t pages) {
    add(0, 0, EventType::start_process, 0);
    for (std::uint32_t i = 0; i < pages; ++i) page(0, 0, i, 0);
    page(0, 1000, pages, 40);
    add(0, 1010, EventType::destroy_process, 50);
    return *this;
  }
  Pipeline& read(std::int64_t at_ns) {
    add(1, 0, EventType::start_process, 0);
    add(1, at_ns - 5, EventType::receive_call, 20);
    page(1, at_ns, 0, 25);
    add(1, 1100, EventType::destroy_process, 30);
    return *this;
  }
  BlameNode divide() const { return BlameAnalysis(events, times_ns, info).divide(ProcessId{0}, {0, 1010}); }
};

}  // namespace

TEST_CASE("blame: a process whose pipe is full waits for its reader, and for what that does", "[blame]") {
  const BlameNode root = Pipeline().fill(16).read(990).divide();
  CHECK(root.total_ns() == 1010);
  CHECK(root.of(BlamePart::cpu) == 50);
  CHECK(root.of(BlamePart::other) == 0);
  REQUIRE(root.waits.size() == 1);
  CHECK(root.waits[0].process == ProcessId{1});
  CHECK(root.waits[0].why == BlameWait::room);
  CHECK(root.waits[0].times == 1);
  CHECK(root.waits[0].total_ns() == 960);
  CHECK(root.waits[0].of(BlamePart::timer) > 800);
}

TEST_CASE("blame: the reader's clock may tell the RECEIVE that made room after the SEND that it let in", "[blame]") {
  const BlameNode root = Pipeline().fill(16).read(1003).divide();
  REQUIRE(root.waits.size() == 1);
  CHECK(root.waits[0].why == BlameWait::room);
  CHECK(root.waits[0].total_ns() == 960);
}

TEST_CASE("blame: an idle time before a SEND that had room is not a wait for the reader", "[blame]") {
  CHECK(Pipeline().fill(3).read(990).divide().waits.empty());
  // Nothing was read, or only later.
  CHECK(Pipeline().fill(16).divide().waits.empty());
  CHECK(Pipeline().fill(16).read(1090).divide().waits.empty());
  // A socket holds more; of a channel that is not known it is not known.
  CHECK(Pipeline(ChannelMedium::unix_socket).fill(16).read(990).divide().waits.empty());
  CHECK(Pipeline(ChannelMedium::unknown).fill(16).read(990).divide().waits.empty());
}

TEST_CASE("blame: what a writer is idle after there was room is another wait", "[blame]") {
  const BlameNode root = Pipeline().fill(16).read(300).divide();
  REQUIRE(root.waits.size() == 1);
  CHECK(root.waits[0].total_ns() == 300);
  CHECK(root.of(BlamePart::other) == 660);
}

TEST_CASE("blame: small writes fill a socket, because the kernel's own data for each takes room too", "[blame]") {
  Pipeline pipeline(ChannelMedium::unix_socket);
  pipeline.add(0, 0, EventType::start_process, 0);
  const auto byte = [&](std::uint32_t process, std::int64_t time_ns, std::uint32_t number, std::uint64_t cpu_ns) {
    pipeline.page(process, time_ns, 0, cpu_ns);
    pipeline.events.back().sequence = number;
    pipeline.events.back().length_bytes = 1;
  };
  for (std::uint32_t i = 0; i < 270; ++i) byte(0, 0, i, 0);
  byte(0, 1000, 270, 40);
  pipeline.add(1, 0, EventType::start_process, 0);
  byte(1, 990, 0, 20);
  REQUIRE(pipeline.divide().waits.size() == 1);
  CHECK(pipeline.divide().waits[0].why == BlameWait::room);
}

TEST_CASE("blame: a writer to a socket waits until much of it is free", "[blame]") {
  Pipeline pipeline(ChannelMedium::unix_socket);
  pipeline.fill(30).add(1, 0, EventType::start_process, 0);
  for (std::uint32_t i = 0; i < 12; ++i) pipeline.page(1, 80 * (i + 1), i, 0);
  const BlameNode root = pipeline.divide();
  REQUIRE(root.waits.size() == 1);
  CHECK(root.waits[0].total_ns() == 960);
  CHECK(root.of(BlamePart::other) == 0);
}

TEST_CASE("sampled blame: a process found in a write that began when the pipe was full waits for the reader",
          "[blame]") {
  Pipeline pipeline;  // of a meter that records a SEND when it begins
  pipeline.add(0, 0, EventType::start_process, 0);
  for (std::uint32_t i = 0; i <= 16; ++i) pipeline.page(0, 10, i, 10);
  pipeline.add(0, 1000, EventType::destroy_process, 20);
  pipeline.read(800);
  for (Event& event : pipeline.events) event.ready_time_ns = event.disk_time_ns = kNotMeasured;
  SampledStates states;
  for (const std::int64_t at_ns : {100, 300, 500, 700, 900}) {
    states.begin_sample(at_ns);
    states.set(ProcessId{0}, SampledState::waits, at_ns);
    states.set(ProcessId{1}, SampledState::timer, at_ns);
  }
  const BlameAnalysis blame(pipeline.events, pipeline.times_ns, pipeline.info);
  const BlameNode root = blame.divide(ProcessId{0}, {0, 1000}, states).root;
  REQUIRE(root.waits.size() == 1);
  CHECK(root.waits[0].why == BlameWait::room);
  CHECK(root.waits[0].of(BlamePart::timer) == 800);
  CHECK(root.of(BlamePart::other) == 200);  // after there was room, it waited for something else
}

}  // namespace dpm
