// Names of a source that keeps no tables: written once, found by every reader, however the recorder ends.
#include "trace/names_journal.hpp"

#include <fmt/format.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Recording {
  TemporaryFolder folder;
  TraceInfo info;   // what the source has when it begins
  TraceInfo whole;  // what it has passed on
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  std::string path = folder / "trace";
  std::unique_ptr<TraceWriter> writer = TraceWriter::create(path, describe_events({"filter"}, rules)).value();
  EventFilter filter{std::move(rules), *writer};
  std::uint64_t told = 0;

  Recording() {
    info.source = "test";
    info.machines.push_back({"here", 1});
    whole = info;
    filter.on_begin(info);
  }
  void tell(const TraceGrowth& growth) {
    growth.add_to(whole);
    writer->on_growth(growth);
  }
  // A connection of a new process, and what became known of it a moment later.
  void come_and_go() {
    TraceGrowth growth;
    const auto id = static_cast<std::uint32_t>(whole.processes.size());
    growth.processes.push_back({"p" + std::to_string(id), "/bin/p", MachineId{0}, 0, true, 100 + id, 100 + id});
    const ChannelId channel{static_cast<std::uint32_t>(whole.channels.size())};
    ChannelInfo described;
    described.name = fmt::format("tcp 127.0.0.1:{} > 127.0.0.1:80", id);
    described.kind = ChannelKind::stream;
    described.medium = ChannelMedium::tcp;
    growth.channels.push_back(described);
    growth.channel_sets.push_back({channel});
    growth.ends.push_back({channel, true, {"127.0.0.1", static_cast<std::uint16_t>(id), MachineId{0}, 7}});
    growth.modules.push_back({ProcessId{id}, 1, 2, 0, "/bin/p"});
    tell(growth);
    TraceGrowth news;
    news.renamed.push_back({ProcessId{id}, "q" + std::to_string(id), "/bin/\"q\""});
    news.owned.push_back({channel, ProcessId{id}});
    news.ends.push_back({channel, false, {"127.0.0.1", 80, MachineId{0}, 8}});
    tell(news);
    Event event;
    event.type = EventType::receive;
    event.process = ProcessId{id};
    event.channel = channel;
    event.machine = MachineId{0};
    event.local_time = LocalTime{static_cast<std::int64_t>(id)};
    filter.on_events(std::span(&event, 1));
    ++told;
  }
  void end() { filter.on_end({.seen = told}); }
};

void check_same_names(const TraceInfo& found, const TraceInfo& expected) {
  CHECK(found.processes == expected.processes);
  CHECK(found.channels == expected.channels);
  CHECK(found.channel_sets == expected.channel_sets);
  CHECK(found.modules.size() == expected.modules.size());
}

}  // namespace

TEST_CASE("names journal: a finished trace of ordinary size has everything in trace.json", "[trace]") {
  Recording recording;
  for (int i = 0; i < 500; ++i) recording.come_and_go();
  CHECK(fs::exists(recording.path + "/names.jsonl"));
  recording.end();
  CHECK_FALSE(fs::exists(recording.path + "/names.jsonl"));
  auto reader = TraceReader::open(recording.path).value();
  CHECK(reader.is_finished());
  check_same_names(reader.info(), recording.whole);
  CHECK(read_back(reader).events.size() == 500);
}

TEST_CASE("names journal: while it is recorded, and when the recorder is killed, every name is found", "[trace]") {
  Recording recording;
  for (int i = 0; i < 500; ++i) recording.come_and_go();
  recording.writer->flush();
  auto reader = TraceReader::open(recording.path).value();
  check_same_names(reader.info(), recording.whole);
  CHECK(read_back(reader).events.size() == 500);
  const auto sidecar_bytes = fs::file_size(recording.path + "/trace.json");
  for (int i = 0; i < 500; ++i) recording.come_and_go();
  recording.writer->checkpoint();
  CHECK(fs::file_size(recording.path + "/trace.json") <= sidecar_bytes + 100);  // it does not grow with the names
}

TEST_CASE("names journal: cut anywhere, the names before the cut are known and nothing wrong is read", "[trace]") {
  Recording recording;
  for (int i = 0; i < 5; ++i) recording.come_and_go();
  recording.writer->flush();
  const std::string whole = bytes_of(recording.path + "/names.jsonl");
  const fs::path cut = recording.folder / "cut";
  fs::copy(recording.path, cut, fs::copy_options::recursive);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    std::ofstream(cut / "names.jsonl", std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    auto reader = TraceReader::open(cut.string()).value();
    CHECK(reader.info().processes.size() == 5);  // the events show how many there are
    const auto back = read_back(reader);
    CHECK(back.events.size() == 5);
  }
  fs::remove(cut / "names.jsonl");
  CHECK_THAT(TraceReader::open(cut.string()).error().what, Catch::Contains("names.jsonl"));
}

TEST_CASE("names journal: one that is too long to be held in memory stays, and the trace is read with it", "[trace]") {
  Recording recording;
  while (fs::exists(recording.path + "/names.jsonl") == false ||
         fs::file_size(recording.path + "/names.jsonl") < (std::uintmax_t{17} << 20))
    recording.come_and_go();
  recording.end();
  CHECK(fs::exists(recording.path + "/names.jsonl"));
  CHECK(fs::file_size(recording.path + "/trace.json") < 100'000);
  auto reader = TraceReader::open(recording.path).value();
  CHECK(reader.is_finished());
  check_same_names(reader.info(), recording.whole);
  const auto back = read_back(reader);
  CHECK(back.events.size() == recording.told);
  CHECK(back.losses.seen == recording.told);
  CHECK(back.losses.lost() == 0);
}
