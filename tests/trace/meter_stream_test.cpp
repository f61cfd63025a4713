// The stream that filters read: what goes in comes out, whatever the cuts; what is damaged is counted.
#include "trace/meter_stream.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/meter_names.hpp"
#include "trace/sidecar.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// Equal as far as a stream tells it.
void check_same_names(const TraceInfo& a, const TraceInfo& b) {
  CHECK(a.source == b.source);
  CHECK(a.properties == b.properties);
  CHECK(a.scenario == b.scenario);
  CHECK(a.machines == b.machines);
  CHECK(a.processes == b.processes);
  CHECK(a.channels == b.channels);
  CHECK(a.channel_sets == b.channel_sets);
  CHECK(a.modules.size() == b.modules.size());
  CHECK(a.wait_causes == b.wait_causes);
}

void append_all_names(std::string& stream, const TraceInfo& info) {
  TableSizes told;
  for (const auto& text : to_names(TraceGrowth::since(told, info), told)) append_names(stream, text);
}

Recording read_stream(std::string_view stream, std::size_t piece = 1 << 20) {
  RecordingSink sink;
  MeterStreamReader reader(sink);
  const auto bytes = std::as_bytes(std::span(stream));
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  reader.end();
  return sink.recording();
}

// One meter, from its beginning to its end.
std::string whole_stream(const TraceInfo& info, std::span<const Event> events) {
  std::string stream;
  append_all_names(stream, info);
  append_meter(stream, 0, {"red", 17, "job", "server"});
  for (const auto& event : events) append_event(stream, event);
  append_meter_end(stream, 0, {events.size(), events.size(), {}, {}});
  append_stream_end(stream);
  return stream;
}

std::string reasons(const LossReport& report) {
  std::string text;
  for (const auto& loss : report.losses) text += fmt::format("{}: {}\n", loss.reason, loss.events);
  return text;
}

}  // namespace

TEST_CASE("meter stream: names and events come out as they went in, however the stream is cut", "[meter-stream]") {
  TraceInfo info = small_info(3, 9, 12);
  info.processes[4].group = ProcessId{3};
  info.processes[2].group = ProcessId{7};  // of a process that is described later
  info.modules.push_back({ProcessId{1}, 100, 200, 0, "/lib/x.so"});
  const auto events = random_events(4, 500, info);
  const std::string stream = whole_stream(info, events);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{39}, std::size_t{84}, std::size_t{5000}, stream.size()}) {
    const Recording read = read_stream(stream, piece);
    check_same_names(read.info, info);
    REQUIRE(read.events.size() == events.size());
    CHECK(std::equal(events.begin(), events.end(), read.events.begin(), same_event));
    CHECK(read.losses.seen == events.size());
    CHECK(read.losses.losses.empty());
    CHECK(read.losses.warnings.empty());
  }
}

TEST_CASE("meter stream: names are sent as they come, and again when they change", "[meter-stream]") {
  TraceInfo info = small_info(1, 2, 2), heard;
  TableSizes told;
  const auto tell = [&](const TraceGrowth& growth) {
    const auto texts = to_names(growth, told);
    for (const auto& text : texts) REQUIRE(take_names(text, heard).has_value());
    return texts.size();
  };
  CHECK(tell(TraceGrowth::since(told, info)) == 1);
  check_same_names(heard, info);
  CHECK(tell(TraceGrowth::since(told, info)) == 0);
  info.processes.push_back({"third", "program", MachineId{0}});
  info.channels.push_back({ProcessId{2}, "to third"});
  info.channel_sets.push_back({ChannelId{0}, ChannelId{2}});
  CHECK(tell(TraceGrowth::since(told, info)) == 1);
  check_same_names(heard, info);
  TraceGrowth news;
  news.renamed.push_back({ProcessId{0}, "renamed", "program"});
  news.owned.push_back({ChannelId{1}, ProcessId{2}});
  news.ends.push_back({ChannelId{0}, true, {"10.0.0.1", 80, MachineId{0}, 7}});
  news.machines_again.push_back({MachineId{0}, {.name = "red", .speed = 2}});
  news.more_of_sets.push_back({static_cast<std::uint32_t>(info.channel_sets.size() - 1), {ChannelId{1}}});
  news.add_to(info);
  CHECK(tell(news) == 1);
  check_same_names(heard, info);
}

TEST_CASE("meter stream: many and long names are sent in small texts", "[meter-stream]") {
  TraceInfo info = small_info(1, 3000, 5000), heard;
  info.processes[0].name = info.processes[0].program = info.processes[0].cgroup = std::string(10'000, '\x01');
  info.processes[1].name = "\xff\xfe not UTF-8";
  info.scenario = std::string(100'000, 's');
  info.channel_sets.push_back({});
  for (std::uint32_t i = 0; i < 5000; ++i) info.channel_sets.back().push_back({i});
  TableSizes told;
  const auto texts = to_names(TraceGrowth::since(told, info), told);
  CHECK(texts.size() > 5);
  for (const auto& text : texts) {
    CHECK(text.size() <= kNamesBytesMax);
    REQUIRE(take_names(text, heard).has_value());
  }
  CHECK(heard.processes.size() == 3000);
  CHECK(heard.processes[0].name == std::string(4096, '\x01'));
  CHECK(heard.scenario == std::string(4096, 's'));
  CHECK(heard.processes[1].name == "\xef\xbf\xbd\xef\xbf\xbd not UTF-8");
  CHECK(heard.channel_sets == info.channel_sets);
}

TEST_CASE("meter stream: names that cannot be right are refused, and what was there stays", "[meter-stream]") {
  TraceInfo info = small_info(1, 2, 2);
  const TraceInfo before = info;
  for (const char* text :
       {"", "7", "{\"machines\": [{\"id\": 5, \"name\": \"x\", \"speed\": 1}]}",
        "{\"channels\": [{\"id\": 2, \"owner\": 9, \"name\": \"\"}]}",
        "{\"channel_sets\": [{\"id\": 0, \"channels\": [1]}]}", "{\"channel_sets\": [{\"id\": 2, \"channels\": [77]}]}",
        "{\"processes\": 3}", "{\"processes\": [{\"id\": -1}]}", "[[[[[[[["}) {
    INFO(text);
    CHECK_FALSE(take_names(text, info).has_value());
    CHECK(info.processes == before.processes);
    CHECK(info.channels == before.channels);
    CHECK(info.machines == before.machines);
  }
}

TEST_CASE("meter stream: what meters lost is in the account, under their names", "[meter-stream]") {
  const TraceInfo info = small_info(1, 2, 2);
  const auto events = random_events(5, 10, info);
  std::string stream;
  append_all_names(stream, info);
  append_meter(stream, 0, {"red", 17, "job", "server"});
  append_meter(stream, 1, {"green", 18, "job", "client"});
  for (const auto& event : events) append_event(stream, event);
  append_meter_end(stream, 1, {9, 4, {{"the disk is full", 3}}, {"look"}});
  append_meter_end(stream, 0, {6, 6, {}, {}});
  append_stream_end(stream);
  const Recording read = read_stream(stream);
  CHECK(read.losses.seen == 15);
  CHECK(read.losses.lost() == 5);
  CHECK(reasons(read.losses) ==
        "the meter of process 18 (client) on green: for reasons it does not give: 2\n"
        "the meter of process 18 (client) on green: the disk is full: 3\n");
  CHECK(read.losses.warnings == std::vector<std::string>{"the meter of process 18 (client) on green: look"});
}

TEST_CASE("meter stream: it is at rest when every meter has reported its end", "[meter-stream]") {
  const TraceInfo info = small_info(1, 2, 2);
  const auto events = random_events(5, 10, info);
  std::string stream;
  append_all_names(stream, info);
  append_meter(stream, 0, {"red", 17, "job", "server"});
  for (const auto& event : events) append_event(stream, event);
  RecordingSink sink;
  MeterStreamReader reader(sink);
  reader.feed(std::as_bytes(std::span(stream)));
  CHECK_FALSE(reader.is_at_rest());
  std::string last;
  append_meter_end(last, 0, {12, 10, {{"the disk is full", 2}}, {}});
  reader.feed(std::as_bytes(std::span(last)).first(10));
  CHECK_FALSE(reader.is_at_rest());
  reader.feed(std::as_bytes(std::span(last)).subspan(10));
  CHECK(reader.is_at_rest());
  CHECK(reader.report().seen == 12);
  CHECK(reader.report().warnings.empty());
}

TEST_CASE("meter stream: cut off anywhere, what had come is there and the rest is reported missing", "[meter-stream]") {
  const TraceInfo info = small_info(2, 4, 4);
  const auto events = random_events(6, 20, info);
  const std::string stream = whole_stream(info, events);
  for (std::size_t length = 0; length < stream.size(); ++length) {
    const Recording read = read_stream(std::string_view(stream).substr(0, length));
    REQUIRE(read.events.size() <= events.size());
    CHECK(std::equal(read.events.begin(), read.events.end(), events.begin(), same_event));
    CHECK(read.losses.seen == read.events.size() + read.losses.lost());
    CHECK((read.losses.lost() > 0 || !read.losses.warnings.empty()));
  }
}

TEST_CASE("meter stream: events that name nothing, and messages of no known type, are counted", "[meter-stream]") {
  const TraceInfo info = small_info(1, 2, 2);
  const auto events = random_events(7, 3, info);
  std::string stream;
  append_event(stream, events[0]);  // before its names
  append_all_names(stream, info);
  append_event(stream, events[1]);
  std::string unknown;
  append_event(unknown, events[2]);
  unknown[8] = 99;
  stream += unknown;
  unknown.clear();
  append_stream_end(unknown);
  unknown[8] = static_cast<char>(250);
  stream += unknown;
  append_names(stream, "{broken");
  append_stream_end(stream);
  const Recording read = read_stream(stream);
  CHECK(read.events.size() == 1);
  CHECK(read.losses.seen == 3);
  CHECK(read.losses.lost() == 2);
  REQUIRE(read.losses.warnings.size() == 1);
  CHECK(read.losses.warnings[0].find("2 messages that are not events") == 0);
}

TEST_CASE("meter stream: after an impossible size nothing more is read", "[meter-stream]") {
  const TraceInfo info = small_info(1, 2, 2);
  std::string stream;
  append_all_names(stream, info);
  const auto events = random_events(8, 2, info);
  append_event(stream, events[0]);
  for (const std::uint32_t size : {0u, 39u, 65537u, 0xFFFFFFFFu}) {
    std::string damaged(40, '\0');
    std::memcpy(damaged.data(), &size, sizeof size);
    const Recording read = read_stream(stream + damaged + stream, 7);
    CHECK(read.events.size() == 1);
    CHECK(read.losses.lost() == 1);
    CHECK(reasons(read.losses).find("impossible size " + std::to_string(size)) != std::string::npos);
  }
}

TEST_CASE("meter stream: a meter's account of many and strange words is still a small message", "[meter-stream]") {
  MeterAccount account{1'000'000, 0, {}, {}};
  for (int i = 0; i < 100; ++i) {
    account.losses.push_back({std::string(5000, static_cast<char>(i)), 10'000});
    account.warnings.push_back(std::string(5000, '"'));
  }
  std::string stream;
  append_meter(stream, 3, {std::string(90'000, '\xff'), 1, std::string(90'000, '\x02'), "x"});
  append_meter_end(stream, 3, account);
  append_stream_end(stream);
  const Recording read = read_stream(stream);
  CHECK(read.losses.seen == 1'000'000);
  CHECK(read.losses.lost() == 1'000'000);
  CHECK(read.losses.warnings.size() == 25);
}

TEST_CASE("meter stream: a reader whose names go elsewhere keeps no tables, and tells each once", "[meter-stream]") {
  struct Names : GrowthSink {
    TraceInfo heard;
    void on_growth(const TraceGrowth& growth) override { growth.add_to(heard); }
  } names;
  TraceInfo info = small_info(2, 300, 400);
  const auto events = random_events(9, 50, info);
  const std::string stream = whole_stream(info, events);
  RecordingSink sink;
  MeterStreamReader reader(sink, &names);
  reader.feed(std::as_bytes(std::span(stream)));
  CHECK(reader.is_at_rest());
  reader.end();
  CHECK(reader.info().machines == info.machines);
  CHECK(reader.info().processes.empty());
  CHECK(reader.info().channels.empty());
  CHECK(names.heard.processes == info.processes);
  CHECK(names.heard.channels == info.channels);
  CHECK(names.heard.channel_sets == info.channel_sets);
  CHECK(sink.recording().events.size() == events.size());
}
