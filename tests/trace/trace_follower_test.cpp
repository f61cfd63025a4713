// Following a trace that is being written: what a viewer has seen at the end is what a reader finds afterwards.
#include "trace/trace_follower.hpp"

#include <cstring>
#include <fstream>

#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;
namespace fs = std::filesystem;

namespace {

// Of a plain trace and of a compressed one.
struct Recording {
  bool compressed = GENERATE(false, true);
  TemporaryFolder folder;
  TraceInfo info;
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  std::string path = folder / "trace";
  std::unique_ptr<TraceWriter> writer =
      TraceWriter::create(path, describe_events({"filter"}, rules), {.compressed = compressed}).value();
  EventFilter filter{std::move(rules), *writer};
  std::uint64_t given = 0;

  explicit Recording(TraceInfo first) : info(std::move(first)) { filter.on_begin(info); }
  void give(std::span<const Event> events) {
    filter.on_events(events);
    given += events.size();
  }
  void end() { filter.on_end({.seen = given}); }
};

struct Viewer {
  TraceFollower follower;
  std::vector<Event> events;

  explicit Viewer(const std::string& path) : follower(TraceFollower::open(path).value()) {}
  std::uint64_t look(std::uint64_t events_max = 1'000'000) {
    return follower.poll(
        [&](std::span<const Event> batch) {
          const TableSizes described = TableSizes::of(follower.info());
          for (const Event& event : batch) {
            REQUIRE(event.process.value < described.processes);
            REQUIRE(event.machine.value < described.machines);
            REQUIRE(!follower.info()[event.process].machine.is_none());
          }
          events.insert(events.end(), batch.begin(), batch.end());
        },
        events_max);
  }
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

// Where the only stream of the trace is.
std::string stream_of(const std::string& trace) {
  for (const auto& entry : fs::directory_iterator(trace + "/ctf"))
    if (entry.path().filename() != "metadata") return entry.path().string();
  return "";
}

}  // namespace

TEST_CASE("follower: a viewer sees every event once, whenever it looks and whenever the recorder writes", "[trace]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Recording recording(small_info(3, 7, 9));
    const auto events = random_events(seed, 20'000, recording.info);
    Viewer viewer(recording.path);
    for (std::size_t at = 0; at < events.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random.below(900), events.size() - at);
      recording.give(std::span(events).subspan(at, count));
      at += count;
      if (random.chance(.2)) recording.writer->flush();
      if (random.chance(.1)) recording.writer->checkpoint();
      if (random.chance(.3)) viewer.look(random.chance(.5) ? 100 : 1'000'000);
      REQUIRE_FALSE(viewer.follower.is_over());
    }
    recording.end();
    while (!viewer.follower.is_over()) viewer.look(5000);
    CHECK(same_by_process(viewer.events, events, recording.info));
    CHECK(viewer.follower.ledger().kept == events.size());
    CHECK(viewer.follower.ledger().lost == 0);
    CHECK(viewer.follower.info().processes == recording.info.processes);
    CHECK(viewer.look() == 0);
  }
}

TEST_CASE("follower: what was flushed is seen at the next look", "[trace]") {
  Recording recording(small_info(2, 4, 4));
  const auto events = random_events(3, 50, recording.info);
  Viewer viewer(recording.path);
  CHECK(viewer.look() == 0);
  recording.give(events);
  recording.writer->flush();
  CHECK(viewer.look() == 50);
  CHECK(viewer.look() == 0);
  CHECK(viewer.follower.ledger().kept == 50);
  REQUIRE(viewer.follower.ledger().warnings.size() == 1);
  CHECK(viewer.follower.ledger().warnings.front().find("still being recorded") != std::string::npos);
}

TEST_CASE("follower: names in a journal are there before the events with them, and replace stand-ins", "[trace]") {
  TraceInfo first;
  first.source = "test";
  first.machines.push_back({"here", 1});
  Recording recording(first);
  TraceInfo whole = first;
  Viewer viewer(recording.path);
  Random random(5);
  for (std::uint32_t i = 0; i < 300; ++i) {
    TraceGrowth growth;
    growth.processes.push_back({"p" + std::to_string(i), "/bin/p", MachineId{0}, 0, true, 100 + i, 100 + i});
    growth.add_to(whole);
    recording.writer->on_growth(growth);
    Event event;
    event.type = EventType::start_process;
    event.process = ProcessId{i};
    event.machine = MachineId{0};
    recording.give(std::span(&event, 1));
    if (random.chance(.1)) recording.writer->flush();
    if (random.chance(.1)) {
      viewer.look();
      for (const Event& seen : viewer.events)
        REQUIRE(viewer.follower.info()[seen.process].name == "p" + std::to_string(seen.process.value));
    }
  }
  recording.end();
  while (!viewer.follower.is_over()) viewer.look();
  CHECK(viewer.events.size() == 300);
  CHECK(viewer.follower.info().processes == whole.processes);
}

TEST_CASE("follower: a file that grows by any number of bytes is read whole", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 3);
  const auto events = random_events(7, 9000, info);
  write_trace(folder / "whole", info, events);
  const std::string bytes = bytes_of(stream_of(folder / "whole"));
  for (const std::size_t step : {1000u, 4096u, 70'000u, 200'000u}) {
    INFO("step " << step);
    Recording recording(info);  // its lock is held, and its stream is written here
    const std::string stream = recording.path + "/ctf/" + fs::path(stream_of(folder / "whole")).filename().string();
    Viewer viewer(recording.path);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      append(stream, std::string_view(bytes).substr(at, step));
      viewer.look();
    }
    CHECK(same_by_process(viewer.events, events, info));
    CHECK(viewer.follower.ledger().losses.empty());
  }
}

TEST_CASE("follower: a damaged packet is passed over when a sound one follows", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 3);
  const auto events = random_events(8, 3 * 4096, info);
  write_trace(folder / "whole", info, events);
  std::string bytes = bytes_of(stream_of(folder / "whole"));
  bytes[100] ^= 1;
  Recording recording(info);
  const std::string stream = recording.path + "/ctf/" + fs::path(stream_of(folder / "whole")).filename().string();
  Viewer viewer(recording.path);
  for (std::size_t at = 0; at < bytes.size(); at += 30'000) {
    append(stream, std::string_view(bytes).substr(at, 30'000));
    viewer.look();
  }
  CHECK(viewer.events.size() < events.size());
  CHECK(viewer.events.size() > events.size() / 2);
  REQUIRE(viewer.follower.ledger().losses.size() == 1);
  CHECK(viewer.follower.ledger().losses.front().reason.find("wrong checksum") != std::string::npos);
}

TEST_CASE("follower: a trace that has ended, and no trace", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 3, 3);
  const auto events = random_events(9, 3000, info);
  const Ledger written = write_trace(folder / "whole", info, events);
  Viewer viewer(folder / "whole");
  CHECK_FALSE(viewer.follower.is_over());
  CHECK(viewer.look() == 3000);
  CHECK(viewer.follower.is_over());
  CHECK(viewer.follower.ledger().seen == written.seen);
  CHECK(viewer.follower.ledger().warnings.empty());
  CHECK_FALSE(TraceFollower::open(folder / "nowhere").has_value());
}

TEST_CASE("follower: what has not been read yet is not lost", "[trace]") {
  const bool has_ended = GENERATE(true, false);
  INFO("the recorder has ended: " << has_ended);
  Recording recording(small_info(2, 4, 4));
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    recording.give(random_events(seed, 50, recording.info));
    recording.writer->checkpoint();
  }
  if (has_ended) recording.end();
  Viewer viewer(recording.path);
  while (viewer.look(1) > 0) {
    const Ledger& ledger = viewer.follower.ledger();
    CHECK(ledger.lost == 0);
    CHECK(ledger.kept == viewer.events.size());
    CHECK(ledger.seen == ledger.kept);
  }
  CHECK(viewer.follower.ledger().kept == recording.given);
  CHECK(viewer.follower.ledger().lost == 0);
}

TEST_CASE("follower: what was delivered can be read again from its place", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 3, 3);
  const auto events = random_events(11, 30'000, info);
  write_trace(folder / "whole", info, events);
  Viewer viewer(folder / "whole");
  struct Delivered {
    PacketPlace place;
    std::vector<Event> events;
  };
  std::vector<Delivered> packets;
  viewer.follower.poll(
      [&](std::span<const Event> batch) {
        packets.push_back({viewer.follower.place(), {batch.begin(), batch.end()}});
      },
      1'000'000);
  REQUIRE(packets.size() > 6);
  const auto same = [](const Event& a, const Event& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  for (const Delivered& packet : packets) {
    std::vector<Event> again;
    viewer.follower.read_again(
        packet.place, [&](std::span<const Event> batch) { again.insert(again.end(), batch.begin(), batch.end()); });
    CHECK(std::equal(again.begin(), again.end(), packet.events.begin(), packet.events.end(), same));
  }
  std::vector<PacketPlace> of_one_stream;
  for (const Delivered& packet : packets)
    if (packet.place.stream == packets.front().place.stream) of_one_stream.push_back(packet.place);
  REQUIRE(of_one_stream.size() >= 4);
  const PacketPlace three{of_one_stream[1].stream, of_one_stream[1].first, of_one_stream[3].last};
  std::size_t batches = 0;
  viewer.follower.read_again(three, [&](std::span<const Event>) { ++batches; });
  CHECK(batches == 3);
  fs::remove(stream_of(folder / "whole"));
  viewer.follower.read_again(three, [&](std::span<const Event>) { ++batches; });
  viewer.follower.read_again(packets.back().place, [&](std::span<const Event>) { ++batches; });
  CHECK(batches <= 7);  // one of the two files is gone
  CHECK(viewer.follower.read_share() == 1);
  CHECK_FALSE(viewer.follower.is_cut_off());
}
