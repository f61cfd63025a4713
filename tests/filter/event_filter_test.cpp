#include "filter/event_filter.hpp"

#include <array>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct Collector : RecordSink {
  std::vector<Event> kept;
  std::vector<Verdict> verdicts;
  Ledger ledger;
  int ends = 0;
  void on_begin(const TraceInfo&) override {}
  void on_records(std::span<const Event> events, std::span<const Verdict> decided) override {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (decided[i].record_class == kNotKept) continue;
      kept.push_back(events[i]);
      verdicts.push_back(decided[i]);
    }
  }
  void on_end(const Ledger& final_ledger) override {
    ledger = final_ledger;
    ++ends;
  }
};

RuleSet rules(const std::string& text) { return RuleSet::compile("rules", text, event_layouts()).value(); }

}  // namespace

TEST_CASE("filter: seen is kept, filtered and lost, exactly", "[filter]") {
  const TraceInfo info = small_info(2, 6, 3);
  const auto events = random_events(1, 5000, info);
  Collector sink;
  EventFilter filter({rules("type=Send; type=Receive, msgLength>1000000000")}, sink);
  filter.on_begin(info);
  for (const Event& event : events) filter.on_events(std::span(&event, 1));
  LossReport losses{5010, {{"a machine failed", 7}}, {"look"}};
  filter.on_end(losses);
  CHECK(sink.ends == 1);
  CHECK(sink.ledger.seen == 5010);
  CHECK(sink.ledger.kept == sink.kept.size());
  CHECK(sink.ledger.filtered == 5000 - sink.kept.size());
  CHECK(sink.ledger.lost == 10);  // three more than the source has explained
  CHECK(sink.ledger.losses.size() == 2);
  CHECK(sink.ledger.warnings == std::vector<std::string>{"look"});
  for (const Event& event : sink.kept)
    CHECK((event.type == EventType::send || (event.type == EventType::receive && event.length_bytes > 1'000'000'000)));
}

TEST_CASE("filter: with several filters, a process's own filter decides about it", "[filter]") {
  TraceInfo info = small_info(2, 6, 3);
  info.filters = {"sends", "receives"};
  for (std::size_t i = 0; i < info.processes.size(); ++i) info.processes[i].filter = i % 2;
  const auto events = random_events(2, 5000, info);
  Collector sink;
  EventFilter filter({rules("type=Send"), rules("type=Receive")}, sink);
  filter.on_begin(info);
  filter.on_events(events);
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  std::array<std::uint64_t, 2> kept_by = {};
  for (std::size_t i = 0; i < sink.kept.size(); ++i) {
    const auto expected = info[sink.kept[i].process].filter;
    if (sink.verdicts[i].filter != expected) FAIL("the wrong filter decided");
    ++kept_by[expected];
    if (sink.kept[i].type != (expected == 0 ? EventType::send : EventType::receive)) FAIL("kept what it should not");
  }
  for (const auto kept : kept_by) CHECK(kept > 100);
}

TEST_CASE("filter: a source that counts fewer events than arrived is corrected, with a warning", "[filter]") {
  const TraceInfo info = small_info(1, 1, 1);
  const auto events = random_events(3, 10, info);
  Collector sink;
  EventFilter filter({rules("")}, sink);
  filter.on_begin(info);
  filter.on_events(events);
  filter.on_end(LossReport{});
  CHECK(sink.ledger.seen == 10);
  CHECK(sink.ledger.warnings.size() == 1);
}
