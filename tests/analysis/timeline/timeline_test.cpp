#include "analysis/timeline/timeline.hpp"

#include <random>

#include "tests/analysis/causality/history_by_hand.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using dpm::testing::Story;

namespace {

// a sends to b at 10, b receives at 30 after 10 of CPU time and sends back at 40, a receives at 60.
History ping_pong() {
  Story story({"a", "b", "user"}, 2);
  story.message("a", "b");
  story.message("b", "a");
  return story.build();
}

const std::vector<std::uint64_t> kCompletion = {10, 60, 30, 40};

}  // namespace

TEST_CASE("timeline: busy, blocked and messages of a ping-pong", "[timeline]") {
  const auto timeline = make_timeline(ping_pong(), TimelineSchedule{kCompletion}, {.from_ns = 0, .to_ns = 100});
  REQUIRE(timeline.rows.size() == 2);
  REQUIRE(timeline.segments.size() == 5);  // a: busy 0-20 (two stretches joined), blocked; b: busy, blocked, busy
  CHECK(timeline.segments[0].kind == SegmentKind::busy);
  CHECK(timeline.segments[0].to_ns == 20);
  CHECK(timeline.segments[1].kind == SegmentKind::blocked);
  CHECK(timeline.segments[1].to_ns == 60);
  CHECK(timeline.segments[3].from_ns == 10);
  CHECK(timeline.segments[3].to_ns == 30);
  REQUIRE(timeline.arcs.size() == 2);
  CHECK(timeline.arcs[0].sent_ns == 10);
  CHECK(timeline.arcs[0].received_ns == 30);
  CHECK(timeline.arcs[1].from_row == 1);
}

TEST_CASE("timeline: a window clips segments and keeps messages that cross it", "[timeline]") {
  const auto timeline = make_timeline(ping_pong(), TimelineSchedule{kCompletion}, {.from_ns = 15, .to_ns = 25});
  REQUIRE(timeline.arcs.size() == 1);
  CHECK(timeline.arcs[0].sent_ns == 10);
  for (const auto& segment : timeline.segments) {
    CHECK(segment.from_ns >= 15);
    CHECK(segment.to_ns <= 25);
  }
  CHECK(make_timeline(ping_pong(), TimelineSchedule{kCompletion}, {.from_ns = 70, .to_ns = 90}).rows.empty());
  CHECK(make_timeline(ping_pong(), TimelineSchedule{kCompletion}, {.from_ns = 5, .to_ns = 5}).segments.empty());
}

TEST_CASE("timeline: what is left out is counted, the shortest first", "[timeline]") {
  TimelineWindow window{.from_ns = 0, .to_ns = 100};
  window.segments_max = 2;
  window.arcs_max = 1;
  const auto timeline = make_timeline(ping_pong(), TimelineSchedule{kCompletion}, window);
  CHECK(timeline.segments.size() == 2);
  CHECK(timeline.segments_left_out == 3);
  CHECK(timeline.segments[1].to_ns - timeline.segments[1].from_ns == 40);
  CHECK(timeline.arcs_left_out == 1);
  window.rows_max = 1;
  CHECK(make_timeline(ping_pong(), TimelineSchedule{kCompletion}, window).rows_left_out == 1);
}

TEST_CASE("timeline: rows are sorted by machine of the given placement", "[timeline]") {
  const std::vector<MachineId> placement = {MachineId{1}, MachineId{0}};
  const auto timeline =
      make_timeline(ping_pong(), TimelineSchedule{kCompletion}, {.from_ns = 0, .to_ns = 100}, placement);
  CHECK(timeline.rows[0].process == ProcessId{1});
  CHECK(timeline.arcs[0].from_row == 1);
}

TEST_CASE("timeline: a replay may take another message, do work elsewhere, never wait, or not get there",
          "[timeline]") {
  // b's RECEIVE and SEND are a's work now, done first; a's RECEIVE takes nothing it waited for.
  const std::vector<std::uint64_t> completion = {70, 90, 30, 40};
  const std::vector<std::uint32_t> performed_by = {0, 0, 0, 0}, previous = {3, 0, kNoEvent, 2};
  const std::vector<std::uint32_t> cause = {kNoEvent, 3, kNoEvent, kNoEvent};
  const std::vector<std::uint8_t> waited = {0, 0, 1, 0};
  const TimelineSchedule schedule{completion, performed_by, previous, cause, waited};
  const auto timeline = make_timeline(ping_pong(), schedule, {.from_ns = 0, .to_ns = 100});
  REQUIRE(timeline.rows.size() == 1);
  REQUIRE(timeline.segments.size() == 3);  // busy 0-10, blocked 10-30, busy 30-90
  CHECK(timeline.segments[2].to_ns == 90);
  REQUIRE(timeline.arcs.size() == 1);
  CHECK(timeline.arcs[0].sent_ns == 40);

  const std::vector<std::uint64_t> stuck = {10, TimelineSchedule::kNotPerformed, 30, 40};
  CHECK(make_timeline(ping_pong(), {.completion_ns = stuck}, {.from_ns = 0, .to_ns = 100}).not_performed == 1);
}

TEST_CASE("timeline: segments of a process cover its lifetime without overlap, on random schedules", "[timeline]") {
  std::mt19937 random(23);
  for (int round = 0; round < 100; ++round) {
    Story story({"a", "b", "user"}, 2);
    for (int i = 0; i < 20; ++i) {
      if (random() % 2 == 0) {
        story.message("a", "b");
      } else {
        story.message("b", "user");
      }
    }
    const auto history = story.build();
    std::vector<std::uint64_t> completion(history.events.size());
    for (std::uint32_t p = 0; p < 3; ++p) {
      std::uint64_t now = 0;
      for (auto at = history.first_event[p]; at < history.first_event[p + 1]; ++at)
        completion[at] = now += random() % 30;
    }
    const std::uint64_t from = random() % 100, to = from + 1 + random() % 200;
    const auto timeline = make_timeline(history, TimelineSchedule{completion}, {.from_ns = from, .to_ns = to});
    std::vector<std::uint64_t> covered(timeline.rows.size(), 0), until(timeline.rows.size(), 0);
    for (const auto& segment : timeline.segments) {
      REQUIRE(segment.from_ns < segment.to_ns);
      REQUIRE(segment.from_ns >= until[segment.row]);
      until[segment.row] = segment.to_ns;
      covered[segment.row] += segment.to_ns - segment.from_ns;
    }
    for (std::size_t row = 0; row < timeline.rows.size(); ++row) {
      const auto process = timeline.rows[row].process.value;
      if (history.first_event[process] == history.first_event[process + 1]) continue;
      const auto end = std::min(to, completion[history.first_event[process + 1] - 1]);
      REQUIRE(covered[row] == (end > from ? end - from : 0));
    }
  }
}

TEST_CASE("timeline: a wait for the end of a process is a line of its own kind", "[timeline]") {
  History history;
  history.info.machines.push_back({"red"});
  for (const char* name : {"parent", "child"}) {
    ProcessInfo process;
    process.name = name;
    process.machine = {0};
    history.info.processes.push_back(process);
  }
  const auto node = [](HistoryKind kind, std::uint64_t cpu_ns, std::uint32_t match, std::uint32_t peer) {
    HistoryEvent event;
    event.cpu_ns = cpu_ns;
    event.match = match;
    event.peer = peer & kNoPeer;
    event.kind_bits = static_cast<std::uint32_t>(kind) & 7u;
    return event;
  };
  history.events = {node(HistoryKind::wait, 10, 1, 1), node(HistoryKind::wake, 30, 0, 0)};
  history.first_event = {0, 1, 2};
  const std::vector<std::uint64_t> completion = {30, 30};
  const auto timeline = make_timeline(history, TimelineSchedule{completion}, {.from_ns = 0, .to_ns = 100});
  REQUIRE(timeline.segments.size() == 3);
  CHECK(timeline.segments[1].kind == SegmentKind::blocked);
  CHECK(timeline.segments[1].from_ns == 10);
  REQUIRE(timeline.arcs.size() == 1);
  CHECK(timeline.arcs[0].of == ArcOf::wait);
  CHECK(timeline.outside_messages == 0);
}
