#include <deque>

#include "model/random.hpp"
#include "scheduling/window/sliding_window.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

TraceInfo processes(std::size_t count) {
  TraceInfo info;
  info.machines = {{"red"}, {"green"}};
  for (std::size_t p = 0; p < count; ++p)
    info.processes.push_back({"p" + std::to_string(p), "program", MachineId{static_cast<std::uint16_t>(p % 2)}});
  return info;
}

Event event(EventType type, std::uint32_t process, std::uint64_t cpu_ns, std::uint32_t peer = 0) {
  Event e;
  e.type = type;
  e.process = {process};
  e.machine = {static_cast<std::uint16_t>(process % 2)};
  e.proc_time_ns = cpu_ns;
  e.peer = {peer};
  e.length_bytes = 10 + process;
  return e;
}

}  // namespace

TEST_CASE("window: events that are too old no longer count", "[scheduling]") {
  const TraceInfo info = processes(2);
  SlidingWindow window({.length = {100}});
  window.on_begin(info);
  window.on_events(std::vector<Event>{event(EventType::send, 0, 7, 1)});
  window.set_now({60});
  window.on_events(std::vector<Event>{event(EventType::receive, 1, 5, 0), event(EventType::send, 0, 9, 1)});
  CHECK(window.traffic().at({ProcessId{0}, ProcessId{1}}) == PairTraffic{2, 20});
  CHECK(window.loads()[0].cpu_ns == 2);  // what it had used before its first event is not known
  window.set_now({100});
  CHECK(window.traffic().at({ProcessId{0}, ProcessId{1}}) == PairTraffic{1, 10});
  CHECK(window.loads()[0].sent == 1);
  window.set_now({160});
  CHECK(window.traffic().empty());
  CHECK(window.received() == 0);
  CHECK(window.observed().ns == 100);
}

TEST_CASE("window: it is incomplete from a loss until that is too old", "[scheduling]") {
  const TraceInfo info = processes(2);
  SlidingWindow window({.length = {100}});
  window.on_begin(info);
  CHECK(window.is_complete());
  window.set_now({10});
  window.note_lost(3);
  CHECK(!window.is_complete());
  window.set_now({110});
  CHECK(!window.is_complete());
  window.note_lost(3);  // no more than before
  window.set_now({111});
  CHECK(window.is_complete());
}

TEST_CASE("window: with too many events it becomes shorter, and reports it", "[scheduling]") {
  const TraceInfo info = processes(1);
  SlidingWindow window({.length = {1000}, .events_max = 10});
  window.on_begin(info);
  for (std::int64_t i = 1; i <= 100; ++i) {
    window.set_now({i});
    window.on_events(std::vector<Event>{event(EventType::send, 0, static_cast<std::uint64_t>(i), 0)});
    REQUIRE(window.events() <= 10);
  }
  CHECK(window.observed().ns == 10);
}

TEST_CASE("window: its history has the CPU times of the window, and the processes where they are now", "[scheduling]") {
  const TraceInfo info = processes(2);
  SlidingWindow window({.length = {1000}});
  window.on_begin(info);
  Event sent = event(EventType::send, 0, 500, 1);
  sent.channel = {0};
  sent.sequence = 1;
  Event more = sent;
  more.proc_time_ns = 530;
  more.sequence = 2;
  more.machine = {1};  // it has moved
  Event received = event(EventType::receive, 1, 90, 0);
  received.channel = {0};
  received.sequence = 2;
  window.on_events(std::vector<Event>{sent, more, received});
  const auto history = window.history();
  REQUIRE(history.has_value());
  CHECK(history->info.processes[0].machine == MachineId{1});
  CHECK(history->cpu_ns() == 30);
}

// The window against the obvious way: keep everything, and count what is young enough.
TEST_CASE("window: its sums are those of the events within it, whatever comes", "[scheduling]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    constexpr std::uint32_t kProcesses = 5;
    const TraceInfo info = processes(kProcesses);
    const WindowLimits limits{.length = {static_cast<std::int64_t>(1 + random.below(200))},
                              .events_max = 1 + random.below(60)};
    SlidingWindow window(limits);
    window.on_begin(info);
    struct Kept {
      Event event;
      std::int64_t at;
      std::uint64_t used_ns;
    };
    std::deque<Kept> kept;
    std::vector<std::uint64_t> cpu_ns(kProcesses, 0);
    std::vector<bool> seen(kProcesses, false);
    std::int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      now += static_cast<std::int64_t>(random.below(20));
      window.set_now({now});
      const auto process = static_cast<std::uint32_t>(random.below(kProcesses));
      const std::uint64_t used = random.below(50);
      cpu_ns[process] += used;
      const EventType type = random.chance(.5) ? EventType::send : EventType::receive;
      const Event e = event(type, process, cpu_ns[process], static_cast<std::uint32_t>(random.below(kProcesses)));
      window.on_events({&e, 1});
      kept.push_back({e, now, seen[process] ? used : 0});
      seen[process] = true;
      while (kept.size() > limits.events_max || now - kept.front().at >= limits.length.ns) kept.pop_front();
      std::vector<ProcessLoad> expected(kProcesses);
      std::map<SlidingWindow::Pair, PairTraffic> traffic;
      for (const Kept& one : kept) {
        ProcessLoad& load = expected[one.event.process.value];
        load.cpu_ns += one.used_ns;
        if (one.event.type == EventType::receive) ++load.received;
        if (one.event.type != EventType::send) continue;
        ++load.sent;
        PairTraffic& pair = traffic[{one.event.process, one.event.peer}];
        ++pair.messages;
        pair.bytes += one.event.length_bytes;
      }
      REQUIRE(window.events() == kept.size());
      REQUIRE(window.traffic() == traffic);
      for (std::uint32_t p = 0; p < window.loads().size(); ++p) {
        REQUIRE(window.loads()[p].cpu_ns == expected[p].cpu_ns);
        REQUIRE(window.loads()[p].sent == expected[p].sent);
        REQUIRE(window.loads()[p].received == expected[p].received);
      }
    }
  }
}
