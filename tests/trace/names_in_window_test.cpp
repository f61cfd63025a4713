// The names of a trace with a window: bounded like its records, and right for every record that is kept.
#include "trace/names_in_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/name_ids.hpp"
#include "trace/names_journal.hpp"
#include "trace/trace_follower.hpp"

using namespace dpm;
using namespace dpm::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kWindow = 8000;

// A server, whose first process and channel stay, and connections of clients that come and go.
struct Recording {
  TemporaryFolder folder;
  TraceInfo first;
  TableSizes sizes;
  std::int64_t now_ns = 0;
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  std::string path = folder / "trace";
  std::unique_ptr<TraceWriter> writer =
      TraceWriter::create(path, describe_events({"filter"}, rules), {TraceWindow{{kWindow}, [this] { return now_ns; }}})
          .value();
  EventFilter filter{std::move(rules), *writer};
  std::uint64_t given = 0;

  Recording() {
    first.source = "test";
    first.machines.push_back({"here", 1});
    first.processes.push_back({"server", "/bin/server", MachineId{0}, 0, true, 1, 1});
    sizes = TableSizes::of(first);
    filter.on_begin(first);
    TraceGrowth growth;
    growth.channels.push_back({ProcessId{0}, "listener", ChannelKind::stream});
    growth.channel_sets.push_back({ChannelId{0}});
    growth.renamed.push_back({ProcessId{0}, "renamed server", "/bin/server"});
    tell(growth);
  }
  void tell(const TraceGrowth& growth) {
    writer->on_growth(growth);
    growth.add_to(sizes);
  }
  static std::string client(std::size_t number) { return fmt::format("client {}", number); }
  static std::string connection(std::size_t number) { return fmt::format("connection {}", number); }

  void come_and_go() {
    now_ns += 100;
    const ProcessId process{static_cast<std::uint32_t>(sizes.processes)};
    const ChannelId channel{static_cast<std::uint32_t>(sizes.channels)};
    TraceGrowth growth;
    growth.processes.push_back({client(process.value), "/bin/c", MachineId{0}, 0, true, 100, 100});
    growth.channels.push_back({ProcessId{0}, connection(channel.value), ChannelKind::stream});
    growth.channel_sets.push_back({channel});
    growth.modules.push_back({process, 1, 2, process.value, "/bin/c"});
    const auto set = static_cast<std::uint32_t>(sizes.channel_sets);
    tell(growth);
    Event sent;
    sent.type = EventType::send;
    sent.machine = MachineId{0};
    sent.process = process;
    sent.peer = ProcessId{0};
    sent.channel = channel;
    sent.pc = process.value;
    sent.code = channel.value;
    Event asked;
    asked.type = EventType::receive_call;
    asked.machine = MachineId{0};
    asked.process = ProcessId{0};
    asked.code = set;
    asked.pc = channel.value;
    TraceGrowth over;
    over.ended.push_back(process);
    over.closed.push_back(channel);
    tell(over);  // a source tells it before it delivers the last events
    for (const Event& event : {sent, asked}) filter.on_events(std::span(&event, 1));
    given += 2;
  }
};

// The events say by `pc` and `code` which names their ids have. What the recorder forgot before a slow viewer came to it
// has no name, and never another one.
bool has_right_names(const Event& event, const TraceInfo& info, bool may_be_forgotten) {
  if (event.type == EventType::send) {
    const std::string &process = info[event.process].name, &channel = info[event.channel].name;
    return (process == Recording::client(event.pc) || (may_be_forgotten && process.starts_with("process "))) &&
           (channel == Recording::connection(event.code) || (may_be_forgotten && channel.empty())) &&
           info[event.peer].name == "renamed server";
  }
  const auto& set = info.channel_sets.at(event.code);
  if (info[event.process].name != "renamed server") return false;
  if (may_be_forgotten && set.empty()) return true;
  return set.size() == 1 && info[set.front()].name == Recording::connection(event.pc);
}

void require_right_names(std::span<const Event> events, const TraceInfo& info, bool may_be_forgotten = false) {
  REQUIRE(std::all_of(events.begin(), events.end(),
                      [&](const Event& event) { return has_right_names(event, info, may_be_forgotten); }));
}

}  // namespace

TEST_CASE("name ids: what is beyond a gap moves down by it", "[trace]") {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    IdGaps gaps;
    std::vector<bool> is_skipped(200);
    std::uint64_t at = 0;
    while (at < 150) {
      const std::uint64_t first = at + random.below(20), end = first + random.below(20);
      gaps.add(first, end);
      for (std::uint64_t id = first; id < std::min<std::uint64_t>(end, 200); ++id) is_skipped[id] = true;
      at = end + 1;
    }
    std::uint32_t row = 0;
    for (std::uint32_t id = 0; id < 150; ++id) {
      const auto found = gaps.row_of(id);
      REQUIRE(found.has_value() == !is_skipped[id]);
      if (found) REQUIRE(*found == row++);
    }
  }
}

TEST_CASE("names in a window: the journal stays as long as what it describes", "[trace]") {
  Recording recording;
  std::uintmax_t longest = 0;
  for (int i = 0; i < 20'000; ++i) {
    recording.come_and_go();
    longest = std::max(longest, fs::file_size(recording.path + "/" + kNamesJournalName));
  }
  // About 350 bytes a connection, of which 80 are in the window and as many before it.
  CHECK(longest < 64 * 1024 + 5 * 80 * 350 + 64 * 1024);
  recording.filter.on_end({.seen = recording.given});
  CHECK(fs::exists(recording.path + "/" + kNamesJournalName));
  auto reader = TraceReader::open(recording.path).value();
  const auto back = read_back(reader);
  CHECK(back.events.size() >= 160);
  CHECK(reader.ledger().lost == 0);
  require_right_names(back.events, reader.info());
  CHECK(reader.info().processes.size() < 400);
  CHECK(reader.info().channels.size() < 400);
  CHECK(reader.info().channel_sets.size() < 400);
  CHECK(reader.info().modules.size() < 400);
}

TEST_CASE("names in a window: they are right whenever the recorder is stopped", "[trace]") {
  Recording recording;
  Random random(9);
  for (int i = 0; i < 3'000; ++i) {
    recording.come_and_go();
    if (!random.chance(.02)) continue;
    recording.writer->flush();
    if (random.chance(.5)) recording.writer->checkpoint();
    auto reader = TraceReader::open(recording.path).value();
    const auto back = read_back(reader);
    REQUIRE(reader.ledger().lost == 0);
    REQUIRE(reader.ledger().kept == recording.given);
    require_right_names(back.events, reader.info());
  }
}

TEST_CASE("names in a window: a viewer's ids stay what they were, whatever the recorder forgets", "[trace]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    Recording recording;
    Random random(seed);
    const bool is_slow = seed % 2 == 1;
    const double looks = is_slow ? .005 : .3;
    for (int i = 0; i < 1000; ++i) recording.come_and_go();
    recording.writer->flush();
    auto follower = TraceFollower::open(recording.path).value();
    std::vector<Event> events;
    const auto look = [&] {
      follower.poll(
          [&](std::span<const Event> batch) {
            require_right_names(batch, follower.info(), is_slow);
            events.insert(events.end(), batch.begin(), batch.end());
          },
          random.chance(.5) ? 50 : 1'000'000);
      if (random.chance(.05)) require_right_names(events, follower.info(), is_slow);
    };
    for (int i = 0; i < 4000; ++i) {
      recording.come_and_go();
      if (random.chance(.2)) recording.writer->flush();
      if (random.chance(.01)) recording.writer->checkpoint();
      if (random.chance(looks)) look();
    }
    recording.filter.on_end({.seen = recording.given});
    while (!follower.is_over()) look();
    require_right_names(events, follower.info(), is_slow);
    CHECK(follower.ledger().balanced());
    CHECK(follower.ledger().lost == 0);
    CHECK(follower.ledger().kept == recording.given);
    CHECK(follower.ledger().removed == recording.given - events.size());
  }
}
