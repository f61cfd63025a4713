// Lengths of queues over time, from arrivals as QueueFeed plays them.
#include "analysis/levels/queue_levels.hpp"

#include <algorithm>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

struct Queued {
  TraceInfo info;
  std::vector<Event> events;
  MachineOffsets offsets;

  Queued() {
    info.machines = {{"red", 1}};
    info.processes = {{"server", "s", MachineId{0}, 0, true}, {"other", "o", MachineId{0}, 0, true}};
  }

  void add(std::int64_t time_ns, std::uint32_t process, EventType type, std::uint64_t sequence = 0) {
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.machine = MachineId{0};
    event.local_time = {time_ns};
    event.peer = ProcessId{9};
    event.channel = ChannelId{process};
    event.sequence = sequence;
    offsets.note(event, info);
    events.push_back(event);
  }
};

}  // namespace

TEST_CASE("queue levels: a message is queued from its arrival to its RECEIVE", "[levels]") {
  constexpr std::int64_t kMs = 1'000'000;
  Queued script;
  script.add(0, 0, EventType::receive_call);
  script.add(10 * kMs, 0, EventType::message_queued, 1);
  script.add(20 * kMs, 0, EventType::message_queued, 2);
  script.add(25 * kMs, 0, EventType::receive, 77);  // its arrival is not known
  script.add(40 * kMs, 0, EventType::receive, 1);
  script.add(60 * kMs, 0, EventType::receive_call);
  script.add(0, 1, EventType::receive_call);
  script.add(5 * kMs, 1, EventType::receive, 1);
  QueueLevels levels;
  levels.on_events(script.events);
  CHECK(levels.has_queue(ProcessId{0}));
  CHECK_FALSE(levels.has_queue(ProcessId{1}));  // nothing is known of its arrivals
  CHECK_FALSE(levels.has_queue(ProcessId{2}));
  CHECK(levels.still_queued(ProcessId{0}) == 1);
  const std::vector<RunTime> edges = {{0}, {10 * kMs}, {20 * kMs}, {40 * kMs}, {60 * kMs}};
  CHECK(levels.of(ProcessId{0}, edges, script.offsets) ==
        std::vector<std::uint64_t>{0, 10'000'000, 40'000'000, 20'000'000});
}

TEST_CASE("queue levels: sums of random queues are those of counting each moment", "[levels]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Queued script;
    constexpr std::int64_t kEnd = 400;  // milliseconds
    std::vector<std::uint64_t> length(kEnd);
    std::vector<std::uint64_t> waiting;
    script.add(0, 0, EventType::receive_call);
    for (std::int64_t ms = 0; ms < kEnd; ++ms) {
      if (random.below(3) == 0) {
        waiting.push_back(static_cast<std::uint64_t>(ms));
        script.add(ms * 1'000'000, 0, EventType::message_queued, waiting.back());
      } else if (!waiting.empty() && random.below(2) == 0) {
        const auto taken = waiting.begin() + static_cast<std::ptrdiff_t>(random.below(waiting.size()));
        script.add(ms * 1'000'000, 0, EventType::receive, *taken);
        waiting.erase(taken);
      }
      length[static_cast<std::size_t>(ms)] = waiting.size();
    }
    script.add(kEnd * 1'000'000, 0, EventType::receive_call);
    QueueLevels levels;
    levels.on_events(script.events);
    CHECK(levels.still_queued(ProcessId{0}) == waiting.size());
    std::vector<RunTime> edges;
    for (std::int64_t ms = 0; ms <= kEnd; ms += 1 + static_cast<std::int64_t>(random.below(50)))
      edges.push_back({ms * 1'000'000});
    if (edges.size() < 2) continue;
    const auto sums = levels.of(ProcessId{0}, edges, script.offsets);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      std::uint64_t expected = 0;
      for (std::int64_t ms = edges[i].ns / 1'000'000; ms < edges[i + 1].ns / 1'000'000; ++ms)
        expected += length[static_cast<std::size_t>(ms)] * 1'000'000;
      CHECK(sums[i] == expected);
    }
  }
}
