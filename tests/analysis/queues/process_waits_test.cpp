#include "analysis/queues/process_waits.hpp"

#include <cmath>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr ProcessId kServer{0};

TraceInfo one_process(std::uint32_t pid) {
  TraceInfo info;
  info.machines = {{"red", 1}};
  info.processes = {{"server", "s", MachineId{0}, 0, true}};
  info.processes[0].pid = pid;
  return info;
}

// A process that spends its time by hand, and has an event when it is told to.
class Life {
 public:
  void run(std::uint64_t ns) { event_.proc_time_ns += ns, pass(ns); }
  void be_ready(std::uint64_t ns) { event_.ready_time_ns += ns, pass(ns); }
  void wait_for_disk(std::uint64_t ns) { event_.disk_time_ns += ns, pass(ns); }
  void be_idle(std::uint64_t ns) { pass(ns); }
  void has(EventType type) {
    event_.type = type;
    events.push_back(event_);
  }
  std::vector<Event> events;

 private:
  void pass(std::uint64_t ns) { event_.local_time.ns += static_cast<std::int64_t>(ns); }
  Event event_ = [] {
    Event event;
    event.process = kServer;
    event.machine = MachineId{0};
    event.ready_time_ns = event.disk_time_ns = 0;
    return event;
  }();
};

OwnWaits waits_of(const std::vector<Event>& events, std::uint32_t pid = 7) {
  const TraceInfo info = one_process(pid);
  ProcessWaits waits;
  waits.on_begin(info);
  for (const Event& event : events) waits.on_events({&event, 1});
  waits.on_end({});
  const auto found = waits.result(info);
  return found.contains(kServer) ? found.at(kServer) : OwnWaits{};
}

}  // namespace

TEST_CASE("process waits: a receive waits for its message, then for the CPU", "[queues]") {
  Life life;
  life.has(EventType::start_process);
  life.run(5);
  life.be_ready(2);  // others had a turn
  life.run(5);
  life.has(EventType::receive_call);
  life.be_idle(40);
  life.be_ready(11);
  life.run(1);
  life.has(EventType::receive);
  life.run(3);
  life.wait_for_disk(8);
  life.be_idle(9);  // a sleep
  life.has(EventType::send);
  const OwnWaits waits = waits_of(life.events);
  CHECK(waits.messages == 1);
  CHECK(waits.receiving == WaitParts{.message_ns = 40, .cpu_ns = 11});
  CHECK(waits.working == WaitParts{.cpu_ns = 2, .disk_ns = 8, .other_ns = 9});
}

TEST_CASE("process waits: the time in poll() before a receive is part of the wait, in a simulation it is not",
          "[queues]") {
  Life life;
  life.has(EventType::send);
  life.be_idle(30);
  life.be_ready(4);
  life.has(EventType::receive_call);
  life.run(1);
  life.has(EventType::receive);
  CHECK(waits_of(life.events).receiving == WaitParts{.message_ns = 30, .cpu_ns = 4});
  CHECK(waits_of(life.events, 0).receiving == WaitParts{});
  CHECK(waits_of(life.events, 0).working == WaitParts{.cpu_ns = 4, .other_ns = 30});
}

TEST_CASE("process waits: microseconds that clocks do not agree on are not a wait in poll()", "[queues]") {
  Life life;
  life.has(EventType::receive);
  life.run(5'000'000);
  life.be_ready(17'000'000);
  life.be_idle(10'000);
  life.has(EventType::receive_call);
  life.has(EventType::receive);
  CHECK(waits_of(life.events).receiving == WaitParts{});
  CHECK(waits_of(life.events).working == WaitParts{.cpu_ns = 17'000'000, .other_ns = 10'000});
}

TEST_CASE("process waits: without READYTIME there are no waits", "[queues]") {
  Life life;
  life.has(EventType::send);
  life.be_idle(30);
  life.has(EventType::receive);
  for (Event& event : life.events) event.ready_time_ns = kNotMeasured;
  const TraceInfo info = one_process(7);
  ProcessWaits waits;
  waits.on_begin(info);
  waits.on_events(life.events);
  waits.on_end({});
  CHECK(waits.result(info).empty());
}

TEST_CASE("process waits: on coarse clocks the sums are those of an exact clock", "[queues]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Life life;
    life.has(EventType::start_process);
    std::uint64_t ready_ns = 0, idle_ns = 0;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t idle = random.below(1000), ready = random.below(1000);
      life.has(EventType::receive_call);
      life.be_idle(idle);
      life.be_ready(ready);
      life.has(EventType::receive);
      life.run(random.below(1000));
      ready_ns += ready;
      idle_ns += idle;
    }
    constexpr std::int64_t kTick = 2000;
    for (Event& event : life.events) event.local_time.ns -= event.local_time.ns % kTick;
    const OwnWaits waits = waits_of(life.events);
    INFO("seed " << seed);
    const auto known_ns = static_cast<std::int64_t>(ready_ns + idle_ns);
    const auto found_ns = static_cast<std::int64_t>(waits.receiving.total_ns() + waits.working.total_ns());
    CHECK(waits.receiving.cpu_ns + waits.working.cpu_ns == ready_ns);
    CHECK(std::abs(found_ns - known_ns) <= kTick);
  }
}
