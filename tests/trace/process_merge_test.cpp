#include "trace/process_merge.hpp"

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

// The events of a process that computes and migrates, in true order; machine ids tell where.
std::vector<Event> wandering_events(Random& random, ProcessId process, std::size_t machines,
                                    bool computes_before_moving) {
  std::vector<Event> events_of_one;
  std::uint64_t proc_time_ns = 0;
  std::uint16_t machine = 0;
  const auto add = [&](EventType type, std::uint16_t flags) {
    Event event;
    event.type = type;
    event.flags = flags;
    event.process = process;
    event.machine.value = machine;
    event.proc_time_ns = proc_time_ns;
    event.local_time.ns = static_cast<std::int64_t>(random.below(1000));  // machines share no clock
    if (member_named(type, "sequence")) event.sequence = events_of_one.size();
    events_of_one.push_back(event);
  };
  add(EventType::start_process, 0);
  for (int i = 0; i < 40; ++i) {
    if (random.chance(.4)) proc_time_ns += random.below(3);
    if (random.chance(.2)) {
      if (computes_before_moving) proc_time_ns += 1;
      add(EventType::stop_process, event_flags::kMigration);
      machine = static_cast<std::uint16_t>((machine + 1 + random.below(machines - 1)) % machines);
      add(EventType::start_process, event_flags::kMigration);
    } else {
      add(EventType::send, 0);
    }
  }
  return events_of_one;
}

}  // namespace

TEST_CASE("trace: a process that migrated is read in the order it performed its events", "[trace]") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const bool two_machines = round % 2 == 0;
    const std::size_t machines = two_machines ? 2 : 4;
    // Among more than two machines, moves without any computation between them leave the order open.
    const auto events_of_one = wandering_events(random, ProcessId{0}, machines, !two_machines);
    std::vector<std::vector<Event>> streams(machines);
    for (const Event& event : events_of_one) streams[event.machine.value].push_back(event);
    const auto merged = merge_streams_of_process(streams);
    INFO("round " << round);
    REQUIRE(merged.size() == events_of_one.size());
    CHECK(std::equal(merged.begin(), merged.end(), events_of_one.begin(), same_event));
  }
}

TEST_CASE("trace: migrated processes come back in order from a trace on disk, and others beside them", "[trace]") {
  for (const bool killed : {false, true}) {
    const TemporaryFolder folder;
    Random random(5);
    TraceInfo info = small_info(3, 6, 2);
    std::vector<std::vector<Event>> streams_of;
    for (std::uint32_t i = 0; i < 3; ++i) streams_of.push_back(wandering_events(random, ProcessId{i}, 3, true));
    std::vector<Event> events;
    for (std::size_t i = 0; i < 90; ++i) {
      for (const auto& events_of_one : streams_of)
        if (i < events_of_one.size()) events.push_back(events_of_one[i]);
      Event other = random_event(random, info);
      other.process.value = 3 + static_cast<std::uint32_t>(random.below(3));
      other.machine = info[other.process].machine;
      events.push_back(other);
    }
    std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
    EventFilter filter(std::move(rules), *writer);
    filter.on_begin(info);
    filter.on_events(events);
    LossReport losses;
    losses.seen = events.size();
    if (killed)
      writer->flush();
    else
      filter.on_end(losses);
    auto reader = TraceReader::open(folder / "trace").value();
    CHECK(reader.is_finished() == !killed);
    CHECK(same_by_process(events, read_back(reader).events, info));
  }
}
