#include "analysis/timeline/recorded_timeline.hpp"

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

struct Recorded {
  TraceInfo info;
  std::vector<Event> events;
  std::vector<std::int64_t> times_ns;

  explicit Recorded(std::uint32_t processes, ChannelKind kind = ChannelKind::numbered) {
    for (std::uint32_t p = 0; p < processes; ++p) {
      info.processes.push_back({"p", "p", MachineId{0}, 0, true});
      info.channels.push_back({ProcessId{p}, "", kind});
    }
  }
  Event& add(EventType type, std::uint32_t process, std::uint32_t peer, std::int64_t at_ns, std::uint64_t cpu_ns) {
    Event event;
    event.type = type;
    event.process = ProcessId{process};
    event.peer = ProcessId{peer};
    event.channel = ChannelId{type == EventType::send ? peer : process};
    event.proc_time_ns = cpu_ns;
    event.length_bytes = 10;
    events.push_back(event);
    times_ns.push_back(at_ns);
    return events.back();
  }
  RecordedTimeline timeline() const { return make_recorded_timeline({events, times_ns}, info); }
};

constexpr std::uint32_t kA = 0, kB = 1;

// a asks b at 10 and waits until 60; b works from 20 to 50.
Recorded question_and_answer(ChannelKind kind = ChannelKind::numbered) {
  Recorded r(2, kind);
  r.add(EventType::start_process, kA, kA, 0, 0);
  r.add(EventType::send, kA, kB, 10, 10);
  r.add(EventType::receive_call, kA, kA, 10, 10);
  r.add(EventType::receive_call, kB, kB, 0, 0);
  r.add(EventType::receive, kB, kA, 20, 0);
  r.add(EventType::send, kB, kA, 50, 30);
  r.add(EventType::receive, kA, kB, 60, 10);
  r.add(EventType::destroy_process, kA, kA, 100, 50);
  return r;
}

}  // namespace

TEST_CASE("recorded timeline: a question and its answer", "[timeline]") {
  for (const ChannelKind kind : {ChannelKind::numbered, ChannelKind::stream}) {
    auto timeline = question_and_answer(kind).timeline();
    REQUIRE(timeline.segments.size() == 5);
    const auto& s = timeline.segments;
    CHECK((s[0].kind == RecordedKind::work && s[0].from_ns == 0 && s[0].to_ns == 10));
    CHECK((s[1].kind == RecordedKind::message_wait && s[1].to_ns == 60 && s[1].arc == 1));
    CHECK((s[2].kind == RecordedKind::work && s[2].to_ns == 100));
    CHECK((s[3].kind == RecordedKind::message_wait && s[3].to_ns == 20 && s[3].process == ProcessId{kB}));
    REQUIRE(timeline.arcs.size() == 2);
    CHECK((timeline.arcs[0].sent_ns == 10 && timeline.arcs[0].received_ns == 20));
    mark_critical_path(timeline, 1000);
    CHECK(s[0].is_critical);        // a's work decides when b gets the question,
    CHECK_FALSE(s[1].is_critical);  // a's wait nothing,
    CHECK(s[2].is_critical);
    CHECK_FALSE(s[3].is_critical);
    CHECK(s[4].is_critical);  // and b's work when a gets the answer
    CHECK((timeline.arcs[0].is_critical && timeline.arcs[1].is_critical));
  }
}

TEST_CASE("recorded timeline: datagrams are taken by order and size", "[timeline]") {
  Recorded r(3, ChannelKind::datagram);
  constexpr std::uint32_t kC = 2;
  const auto add = [&](EventType type, std::uint32_t process, std::int64_t at_ns, std::uint32_t bytes,
                       std::uint64_t number) {
    Event& event = r.add(type, process, kC, at_ns, 0);
    if (type == EventType::receive) event.peer = ProcessId{};  // a meter does not know
    event.channel = ChannelId{kC};
    event.length_bytes = bytes;
    event.sequence = number;
  };
  add(EventType::receive, kC, 5, 10, 0);  // sent before these events begin
  add(EventType::send, kA, 10, 10, 7);
  add(EventType::send, kA, 11, 20, 8);  // lost
  add(EventType::send, kA, 12, 10, 9);
  add(EventType::send, kB, 13, 20, 3);
  add(EventType::receive, kC, 20, 10, 0);
  add(EventType::receive, kC, 21, 10, 0);
  add(EventType::receive, kC, 22, 20, 0);
  add(EventType::receive, kC, 23, 10, 0);  // its SEND was not seen
  const auto arcs = r.timeline().arcs;
  REQUIRE(arcs.size() == 3);
  const auto is_arc = [](const RecordedArc& arc, std::uint32_t from, std::uint64_t number, std::int64_t received_ns) {
    return arc.from == ProcessId{from} && arc.to == ProcessId{kC} && arc.sequence == number &&
           arc.received_ns == received_ns && arc.evidence == Evidence::inferred;
  };
  CHECK(is_arc(arcs[0], kA, 7, 20));
  CHECK(is_arc(arcs[1], kA, 9, 21));
  CHECK(is_arc(arcs[2], kB, 3, 22));
}

TEST_CASE("recorded timeline: a window that ends earlier has its own path", "[timeline]") {
  auto timeline = question_and_answer().timeline();
  mark_critical_path(timeline, 8);
  CHECK(timeline.segments[0].is_critical);
  CHECK_FALSE(timeline.segments[4].is_critical);
  CHECK_FALSE(timeline.arcs[0].is_critical);
}

TEST_CASE("recorded timeline: waits for a child, and for the CPU", "[timeline]") {
  Recorded r(2);
  r.add(EventType::create_process, kA, kB, 0, 0);
  r.add(EventType::start_process, kB, kA, 5, 0);
  r.add(EventType::destroy_process, kB, kB, 105, 40);
  Event& wait = r.add(EventType::wait, kA, kB, 110, 10);
  wait.sequence = 90;
  wait.code = static_cast<std::uint32_t>(WaitKind::process_end);
  const auto timeline = r.timeline();
  REQUIRE(timeline.segments.size() == 5);
  const auto& s = timeline.segments;
  CHECK((s[0].kind == RecordedKind::work && s[0].to_ns == 10));
  CHECK((s[1].kind == RecordedKind::other_wait && s[1].to_ns == 20));
  CHECK((s[2].kind == RecordedKind::child_wait && s[2].from_ns == 20 && s[2].to_ns == 110 && s[2].arc == 1));
  CHECK((s[3].kind == RecordedKind::work && s[3].to_ns == 45));
  CHECK((s[4].kind == RecordedKind::other_wait && s[4].to_ns == 105));
  REQUIRE(timeline.arcs.size() == 2);
  CHECK(timeline.arcs[0].kind == RecordedArcKind::start);
  CHECK(timeline.arcs[1].kind == RecordedArcKind::wait);
}

TEST_CASE("recorded timeline: a sleep is not a wait for the CPU", "[timeline]") {
  for (const auto& [reason, idle] :
       {std::pair{WaitReason::timer, RecordedKind::timer}, {WaitReason::lock, RecordedKind::idle}}) {
    Recorded r(1);
    r.info.wait_causes = {{ProcessId{kA}, WaitReason::cpu, {}, "other", 5}, {ProcessId{kA}, reason, {}, "", 60}};
    for (const std::int64_t at_ns : {0, 100}) {
      Event& event = r.add(EventType::point, kA, kA, at_ns, at_ns == 0 ? 0 : 10);
      event.ready_time_ns = at_ns == 0 ? 0 : 20;
      event.disk_time_ns = at_ns == 0 ? 0 : 10;
    }
    const auto timeline = r.timeline();
    REQUIRE(timeline.segments.size() == 3);
    const auto& s = timeline.segments;
    CHECK((s[0].kind == RecordedKind::work && s[0].to_ns == 10));
    CHECK((s[1].kind == RecordedKind::cpu_or_disk && s[1].to_ns == 40));
    CHECK((s[2].kind == idle && s[2].to_ns == 100));
  }
}

TEST_CASE("recorded timeline: segments cover each process without overlap, and hold its CPU time", "[timeline]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Recorded r(4);
    std::int64_t at[4] = {}, first[4] = {-1, -1, -1, -1};
    std::uint64_t cpu[4] = {};
    for (int i = 0; i < 300; ++i) {
      const auto p = static_cast<std::uint32_t>(random.below(4));
      const auto elapsed = static_cast<std::int64_t>(random.below(1000));
      at[p] += elapsed;
      cpu[p] += random.below(static_cast<std::uint64_t>(elapsed) + 1);
      constexpr EventType kTypes[] = {EventType::send, EventType::receive, EventType::receive_call, EventType::wait};
      Event& event = r.add(kTypes[random.below(4)], p, static_cast<std::uint32_t>(random.below(4)), at[p], cpu[p]);
      event.sequence = random.below(50);
      if (first[p] < 0) first[p] = at[p];
    }
    auto timeline = r.timeline();
    mark_critical_path(timeline, 1 << 30);
    std::int64_t covered[4] = {}, until[4] = {};
    for (const auto& segment : timeline.segments) {
      const auto p = segment.process.value;
      CHECK(segment.from_ns < segment.to_ns);
      if (covered[p] > 0) CHECK(segment.from_ns == until[p]);
      covered[p] += segment.to_ns - segment.from_ns;
      until[p] = segment.to_ns;
    }
    for (int p = 0; p < 4; ++p) CHECK(covered[p] == at[p] - first[p]);
  }
}
