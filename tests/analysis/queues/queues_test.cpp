#include "analysis/queues/queues.hpp"

#include <algorithm>
#include <deque>
#include <random>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr ProcessId kServer{0}, kClient{1};

TraceInfo server_and_client() {
  TraceInfo info;
  info.properties.every_arrival_metered = true;
  info.machines = {{"red", 1}, {"blue", 1}};
  info.processes = {{"server", "s", MachineId{0}, 0, true}, {"client", "c", MachineId{1}, 0, true}};
  info.channels = {{kServer, "requests"}};
  return info;
}

Event at_server(EventType type, std::int64_t time_ns, std::uint64_t sequence, std::uint16_t machine = 0) {
  Event e;
  e.type = type;
  e.process = kServer;
  e.peer = kClient;
  e.channel = ChannelId{0};
  e.sequence = sequence;
  e.local_time = {time_ns};
  e.machine = MachineId{machine};
  return e;
}

Queues queues_of(const std::vector<Event>& events, QueueOptions options = {}) {
  const auto info = server_and_client();
  QueueAnalysis analysis(options);
  analysis.on_begin(info);
  analysis.on_events(events);
  analysis.on_end({});
  return analysis.result();
}

constexpr auto kQueued = EventType::message_queued;
constexpr auto kReceive = EventType::receive;

}  // namespace

TEST_CASE("queues: the five events of the README", "[queues]") {
  const auto queues = queues_of({at_server(kQueued, 0, 1), at_server(kQueued, 10, 2), at_server(kReceive, 30, 1),
                                 at_server(kReceive, 70, 2), at_server(kQueued, 100, 3)});
  REQUIRE(queues.processes.size() == 1);
  const auto& server = queues.processes[0];
  CHECK(server.measured);
  CHECK(server.length_max == 2);
  CHECK(server.length_mean == Approx((10 * 1 + 20 * 2 + 40 * 1) / 100.0));
  CHECK(server.length_mean_by_operation == Approx((1 + 2 + 1 + 0 + 1) / 5.0));
  REQUIRE(server.time_share.size() == 3);
  CHECK(server.time_share[0] == Approx(0.3));
  CHECK(server.time_share[1] == Approx(0.5));
  CHECK(server.time_share[2] == Approx(0.2));
  CHECK(server.waits.count() == 2);
  CHECK(server.waits.min_ns() == 30);
  CHECK(server.waits.max_ns() == 60);
  CHECK(server.still_queued == 1);
}

TEST_CASE("queues: what a process did while its messages waited", "[queues]") {
  std::vector<Event> events = {at_server(kQueued, 0, 1), at_server(kReceive, 30, 1), at_server(kQueued, 40, 2),
                               at_server(kReceive, 100, 2)};
  const auto set = [&events](std::size_t at, std::uint64_t ran_ns, std::uint64_t ready_ns, std::uint64_t disk_ns) {
    events[at].proc_time_ns = ran_ns;
    events[at].ready_time_ns = ready_ns;
    events[at].disk_time_ns = disk_ns;
  };
  set(0, 100, 50, 0);
  set(1, 110, 62, 3);  // 10, 12 and 3 of 30: 5 otherwise
  set(2, 110, 62, 3);
  set(3, 130, 102, 3);  // 20 and 40 of 60
  const auto queues = queues_of(events);
  REQUIRE(queues.processes[0].meanwhile.has_value());
  CHECK(*queues.processes[0].meanwhile == WaitParts{.cpu_ns = 52, .disk_ns = 3, .ran_ns = 30, .other_ns = 5});
  events[0].ready_time_ns = events[2].ready_time_ns = kNotMeasured;
  CHECK_FALSE(queues_of(events).processes[0].meanwhile.has_value());
}

TEST_CASE("queues: a process without MESSAGEQUEUED has no numbers, and a warning names the flag", "[queues]") {
  const auto queues = queues_of({at_server(kReceive, 30, 1)});
  REQUIRE(queues.processes.size() == 1);
  CHECK_FALSE(queues.processes[0].measured);
  CHECK(queues.processes[0].received == 1);
  REQUIRE(queues.warnings.size() == 1);
  CHECK(queues.warnings[0] == "queues need MESSAGEQUEUED, not metered for: server (set the meter flag messagequeued)");
}

TEST_CASE("queues: a wait across a migration is not measured, and counted", "[queues]") {
  const auto queues = queues_of({at_server(kQueued, 1000, 1, 0), at_server(kReceive, 5, 1, 1),
                                 at_server(kQueued, 6, 2, 1), at_server(kReceive, 9, 2, 1)});
  const auto& server = queues.processes[0];
  CHECK(server.waits_across_machines == 1);
  CHECK(server.waits.count() == 1);
  CHECK(server.waits.max_ns() == 3);
  CHECK(server.observed.ns == 4);
  CHECK(server.clock_went_back == 0);
  REQUIRE(queues.warnings.size() == 1);
}

TEST_CASE("queues: a clock that is set back adds no negative time", "[queues]") {
  const auto queues = queues_of({at_server(kQueued, 100, 1), at_server(kReceive, 40, 1)});
  CHECK(queues.processes[0].clock_went_back == 1);
  CHECK(queues.processes[0].waits.max_ns() == 0);
  CHECK(queues.processes[0].length_mean == 0);
}

TEST_CASE("queues: messages of the kernel are never in a queue", "[queues]") {
  auto moved = at_server(kQueued, 10, 1);
  moved.flags = event_flags::kKernelMessage;
  CHECK(queues_of({moved}).processes.empty());
}

TEST_CASE("queues: a long queue shares the last entry of the distribution, never memory without bound", "[queues]") {
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 100; ++i) events.push_back(at_server(kQueued, static_cast<std::int64_t>(i), i));
  const auto queues = queues_of(events, {.lengths_max = 10, .series_max = 4});
  CHECK(queues.processes[0].length_max == 100);
  CHECK(queues.processes[0].time_share.size() == 11);
  CHECK(queues.processes[0].time_share[10] == Approx(90 / 99.0));
  CHECK(queues.processes[0].series.size() <= 4);
}

TEST_CASE("queues: lengths and waits against a list kept nanosecond by nanosecond, on random queues", "[queues]") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Event> events;
    std::vector<std::pair<std::uint64_t, std::int64_t>> waiting;
    std::vector<std::size_t> length_at;  // [ns since the first event]
    std::uint64_t sequence = 0, waits_ns = 0, waits = 0;
    std::int64_t now = static_cast<std::int64_t>(random() % 1000) - 500;
    const int steps = 2 + static_cast<int>(random() % 60);
    for (int i = 0; i < steps; ++i) {
      if (waiting.empty() || random() % 2 == 0) {
        waiting.emplace_back(++sequence, now);
        events.push_back(at_server(kQueued, now, sequence));
      } else {
        const auto chosen = waiting.begin() + static_cast<std::ptrdiff_t>(random() % waiting.size());
        events.push_back(at_server(kReceive, now, chosen->first));
        waits_ns += static_cast<std::uint64_t>(now - chosen->second);
        ++waits;
        waiting.erase(chosen);
      }
      if (i + 1 == steps) break;
      const auto pause = static_cast<std::int64_t>(random() % 20);
      for (std::int64_t t = 0; t < pause; ++t) length_at.push_back(waiting.size());
      now += pause;
    }
    const auto queues = queues_of(events, {.lengths_max = 1000, .series_max = 2 + random() % 10});
    const auto& server = queues.processes.at(0);
    double sum = 0, series_sum = 0;
    for (const auto length : length_at) sum += static_cast<double>(length);
    REQUIRE(server.observed.ns == static_cast<std::int64_t>(length_at.size()));
    if (!length_at.empty()) REQUIRE(server.length_mean == Approx(sum / static_cast<double>(length_at.size())));
    REQUIRE(server.waits.count() == waits);
    REQUIRE(server.waits.mean_ns() * static_cast<double>(waits) == Approx(static_cast<double>(waits_ns)));
    REQUIRE(server.still_queued == waiting.size());
    const auto begin = events.front().local_time.ns;
    for (const auto& point : server.series) {
      const auto from = std::max<std::int64_t>(point.from.ns, begin);
      const auto to = std::min(point.from.ns + point.width.ns, begin + static_cast<std::int64_t>(length_at.size()));
      series_sum += point.length_mean * static_cast<double>(to - from);
    }
    REQUIRE(series_sum == Approx(sum));
  }
}
