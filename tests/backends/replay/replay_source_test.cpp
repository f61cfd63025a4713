#include "backends/replay/replay_source.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct Recorder : EventSink {
  int begins = 0, ends = 0;
  std::size_t processes = 0;
  std::vector<Event> events;
  LossReport report;
  void on_begin(const TraceInfo& info) override {
    ++begins;
    processes = info.processes.size();
  }
  void on_events(std::span<const Event> batch) override { events.insert(events.end(), batch.begin(), batch.end()); }
  void on_end(const LossReport& losses) override {
    ++ends;
    report = losses;
  }
};

}  // namespace

TEST_CASE("replay: a recorded trace gives back the events it was given", "[replay]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(3, 8, 4);
  const auto events = random_events(1, 30'000, info);
  write_trace(folder / "trace", info, events);
  ReplaySource source(folder / "trace");
  Recorder sink;
  REQUIRE(source.run(sink));
  CHECK(sink.begins == 1);
  CHECK(sink.ends == 1);
  CHECK(sink.processes == 8);
  CHECK(same_by_process(events, sink.events, info));
  CHECK(sink.report.seen == events.size());
  CHECK(source.ledger().kept == events.size());
  CHECK(source.ledger().balanced());
}

TEST_CASE("replay: replaying a replayed trace changes nothing", "[replay]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(3, 8, 4);
  write_trace(folder / "once", info, random_events(2, 5'000, info));
  ReplaySource first(folder / "once");
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "twice", describe_events({"filter"}, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  REQUIRE(first.run(filter));
  for (const char* file : {"trace.json", "ctf/metadata", "ctf/machine_0_filter_0", "ctf/machine_2_filter_0"}) {
    const std::string command = fmt::format("cmp '{}{}' '{}{}'", folder / "once/", file, folder / "twice/", file);
    CHECK(std::system(command.c_str()) == 0);
  }
}

TEST_CASE("replay: a second reading has the same events, although the recorder has removed them meanwhile",
          "[replay]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 8, 4);
  const auto events = random_events(3, 2000, info);
  std::int64_t now_ns = 0;
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events({"filter"}, rules),
                                    {TraceWindow{{800}, [&] { return now_ns; }}})
                    .value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  const auto record = [&](std::size_t from, std::size_t to) {
    for (; from < to; from += 10, now_ns += 20) filter.on_events(std::span(events).subspan(from, 10));
    writer->flush();
  };
  record(0, 1000);
  ReplaySource source(folder / "trace");
  Recorder before, after;
  REQUIRE(source.run(before));
  record(1000, 2000);
  REQUIRE(source.run(after));
  CHECK(before.events.size() > 300);
  CHECK(std::equal(before.events.begin(), before.events.end(), after.events.begin(), after.events.end(), same_event));
  CHECK(after.report.losses.empty());
}

TEST_CASE("replay: a directory that is not a trace is an error, and the sink gets nothing", "[replay]") {
  const TemporaryFolder folder;
  Recorder sink;
  ReplaySource missing(folder / "nothing");
  const auto result = missing.run(sink);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().what, Catch::Contains("/nothing: no such directory"));
  CHECK(sink.begins == 0);
}
