#include "analysis/statistics/statistics.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr ProcessId kA{0}, kB{1}, kUser{2};

TraceInfo three_processes() {
  TraceInfo info;
  info.machines = {{"red", 1}, {"blue", 1}};
  info.processes = {
      {"a", "a", MachineId{0}, 0, true}, {"b", "b", MachineId{1}, 0, true}, {"user", "u", MachineId{1}, 0, false}};
  info.channels = {{kB, "to b"}, {kA, "to a"}};
  return info;
}

Event event(EventType type, ProcessId process, ProcessId peer, std::int64_t time_ns, std::uint64_t cpu_ns,
            std::uint32_t bytes = 0, std::uint16_t machine = 0) {
  Event e;
  e.type = type;
  e.process = process;
  e.peer = peer;
  e.local_time = {time_ns};
  e.proc_time_ns = cpu_ns;
  e.length_bytes = bytes;
  e.machine = MachineId{machine};
  return e;
}

Statistics statistics_of(const TraceInfo& info, const std::vector<Event>& events) {
  StatisticsAnalysis analysis;
  analysis.on_begin(info);
  analysis.on_events(events);
  analysis.on_end({});
  return analysis.result();
}

const Traffic& pair(const Statistics& statistics, ProcessId from, ProcessId to) {
  for (const auto& traffic : statistics.messages) {
    if (traffic.from == from && traffic.to == to) return traffic;
  }
  FAIL("no such pair");
  return statistics.messages.front();
}

}  // namespace

TEST_CASE("statistics: nothing in, nothing out", "[statistics]") {
  const auto statistics = statistics_of(three_processes(), {});
  CHECK(statistics.processes.empty());
  CHECK(statistics.messages.empty());
  CHECK(statistics.warnings.empty());
}

TEST_CASE("statistics: waits for the CPU and a disk are those of the last event that has them", "[statistics]") {
  std::vector<Event> events = {event(EventType::send, kA, kB, 200, 30), event(EventType::send, kA, kB, 900, 40),
                               event(EventType::send, kB, kA, 900, 40, 0, 1)};
  events[0].ready_time_ns = 5;
  events[1].ready_time_ns = 60;
  events[1].disk_time_ns = 7;
  const auto statistics = statistics_of(three_processes(), events);
  CHECK(statistics.processes.at(0).ready_ns == 60);
  CHECK(statistics.processes.at(0).disk_ns == 7);
  CHECK_FALSE(statistics.processes.at(1).ready_ns);
}

TEST_CASE("statistics: the five events of the README", "[statistics]") {
  const auto info = three_processes();
  const auto statistics = statistics_of(info, {
                                                  event(EventType::receive, kA, kUser, 100, 10, 50),
                                                  event(EventType::send, kA, kB, 200, 30, 100),
                                                  event(EventType::receive, kB, kA, 90'000, 0, 100, 1),
                                                  event(EventType::send, kB, kA, 90'500, 60, 300, 1),
                                                  event(EventType::receive, kA, kB, 900, 40, 300),
                                              });
  REQUIRE(statistics.processes.size() == 2);
  const auto& a = statistics.processes[0];
  const auto& b = statistics.processes[1];
  CHECK(a.cpu_share == Approx(0.4));
  CHECK(b.cpu_share == Approx(0.6));
  CHECK(a.sent_share == Approx(0.5));
  CHECK(a.bytes_share == Approx(0.25));
  CHECK(a.received == 2);
  CHECK(a.events_by_type[static_cast<std::size_t>(EventType::receive)] == 2);
  CHECK(a.first_time == LocalTime{100});
  CHECK(a.last_time == LocalTime{900});
  CHECK(statistics.sent_remote == 2);
  CHECK(statistics.sent_local == 0);
  CHECK(statistics.sizes.bytes_min == 100);
  CHECK(statistics.sizes.bytes_max == 300);
  CHECK(statistics.sizes.bytes_mean() == Approx(200));
  CHECK(statistics.sizes.by_power[7] == 1);  // 64 to 127
  CHECK(statistics.sizes.by_power[9] == 1);  // 256 to 511

  const auto& from_user = pair(statistics, kUser, kA);
  CHECK(from_user.by_receive());
  CHECK(from_user.messages() == 1);
  CHECK(from_user.bytes() == 50);
  CHECK(from_user.remote == 1);
  CHECK_FALSE(pair(statistics, kA, kB).by_receive());
}

TEST_CASE("statistics: each machine's density is by its own clock", "[statistics]") {
  const auto statistics = statistics_of(three_processes(), {
                                                               event(EventType::send, kA, kB, 1'000'000'000, 1, 8),
                                                               event(EventType::send, kA, kB, 3'000'000'000, 2, 8),
                                                               event(EventType::send, kB, kA, 77, 1, 8, 1),
                                                           });
  REQUIRE(statistics.machines.size() == 2);
  CHECK(statistics.machines[0].messages_per_second() == Approx(1.0));
  CHECK(statistics.machines[1].messages_per_second() == 0);  // one message: no stretch of time to divide by
  CHECK(statistics.machines[1].first_time == LocalTime{77});
}

TEST_CASE("statistics: data moved by the kernel is counted as a message and on its own", "[statistics]") {
  auto data = event(EventType::send, kA, kB, 5, 1, 1000);
  data.flags = event_flags::kKernelMessage;
  const auto statistics = statistics_of(three_processes(), {data, event(EventType::send, kA, kB, 6, 2, 10)});
  CHECK(statistics.processes[0].sent == 2);
  CHECK(statistics.processes[0].kernel_sent == 1);
  CHECK(statistics.processes[0].kernel_bytes == 1000);
  CHECK(pair(statistics, kA, kB).kernel_sent == 1);
  CHECK(statistics.kernel_sizes.messages == 1);
  CHECK(statistics.sizes.messages == 2);
}

TEST_CASE("statistics: a migrated process is reported, and local or remote follows it", "[statistics]") {
  const auto statistics =
      statistics_of(three_processes(), {
                                           event(EventType::send, kA, kB, 1, 1, 8),
                                           event(EventType::start_process, kB, kA, 2, 0, 0, 0),  // b continues on red
                                           event(EventType::send, kA, kB, 3, 2, 8),
                                           event(EventType::stop_process, kB, kA, 2, 0, 0, 1),
                                       });
  CHECK(statistics.sent_remote == 1);
  CHECK(statistics.sent_local == 1);
  CHECK(pair(statistics, kA, kB).remote == 1);
  REQUIRE(statistics.warnings.size() == 1);
}

TEST_CASE("statistics: without SENDs it warns and counts by RECEIVEs", "[statistics]") {
  const auto statistics = statistics_of(three_processes(), {event(EventType::receive, kA, kB, 1, 1, 8)});
  REQUIRE(statistics.warnings.size() == 1);
  CHECK(pair(statistics, kB, kA).messages() == 1);
}

TEST_CASE("statistics: sums over pairs, processes, sizes and batches agree on random events", "[statistics]") {
  const auto info = three_processes();
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Event> events;
    std::uint64_t bytes = 0, sends = 0;
    for (int i = 0; i < 200; ++i) {
      const ProcessId from{static_cast<std::uint32_t>(random() % 3)}, to{static_cast<std::uint32_t>(random() % 3)};
      const auto type = random() % 2 == 0 ? EventType::send : EventType::receive;
      const auto length = static_cast<std::uint32_t>(random() % 5000);
      events.push_back(event(type, from, to, i * 100, static_cast<std::uint64_t>(i), length, info[from].machine.value));
      if (type == EventType::send) {
        bytes += length;
        ++sends;
      }
    }
    StatisticsAnalysis analysis;
    analysis.on_begin(info);
    for (std::size_t i = 0; i < events.size(); i += 7) {
      analysis.on_events(std::span(events).subspan(i, std::min<std::size_t>(7, events.size() - i)));
    }
    analysis.on_end({});
    const auto statistics = analysis.result();
    std::uint64_t by_pairs = 0, by_processes = 0, by_size = 0, by_machines = 0;
    for (const auto& traffic : statistics.messages) by_pairs += traffic.sent_bytes;
    for (const auto& process : statistics.processes) by_processes += process.sent_bytes;
    for (const auto count : statistics.sizes.by_power) by_size += count;
    for (const auto& machine : statistics.machines) by_machines += machine.sent;
    REQUIRE(by_pairs == bytes);
    REQUIRE(by_processes == bytes);
    REQUIRE(by_size == sends);
    REQUIRE(by_machines == sends);
    REQUIRE(statistics.sent_local + statistics.sent_remote == sends);
  }
}

TEST_CASE("statistics: waits are counted by kind, and are not messages", "[statistics]") {
  TraceInfo info;
  info.machines.push_back({"red"});
  info.processes.resize(2);
  for (auto& process : info.processes) process.machine = {0};
  Event wait;
  wait.type = EventType::wait;
  wait.process = {0};
  wait.peer = {1};
  wait.machine = {0};
  wait.sequence = 5;
  Event joined = wait;
  joined.code = static_cast<std::uint32_t>(WaitKind::thread_end);
  Event unknown = wait;
  unknown.code = 99;
  StatisticsAnalysis analysis;
  analysis.on_begin(info);
  analysis.on_events(std::vector{wait, wait, joined, unknown});
  analysis.on_end({});
  const Statistics result = analysis.result();
  REQUIRE(result.processes.size() == 1);
  const auto& waits = result.processes[0].waits;
  CHECK(waits[static_cast<std::size_t>(WaitKind::process_end)].count == 2);
  CHECK(waits[static_cast<std::size_t>(WaitKind::process_end)].waited_ns == 10);
  CHECK(waits[static_cast<std::size_t>(WaitKind::thread_end)].count == 1);
  CHECK(result.processes[0].events == 4);
  CHECK(result.sizes.messages == 0);
  CHECK(result.messages.empty());
}

TEST_CASE("statistics: what an acquired process used before is not of the run", "[statistics]") {
  TraceInfo info = three_processes();
  info.processes[0].acquired = true;
  const auto found =
      statistics_of(info, {event(EventType::exec, kA, {}, 10, 4'000), event(EventType::exec, kA, {}, 20, 5'000),
                           event(EventType::exec, kB, {}, 10, 4'000)});
  REQUIRE(found.processes.size() == 2);
  CHECK(found.processes[0].cpu_ns == 1'000);
  CHECK(found.processes[1].cpu_ns == 4'000);
}

TEST_CASE("statistics: SUMMARYs are summed by machine, and their process is not one of those that are counted",
          "[statistics]") {
  TraceInfo info = three_processes();
  std::vector<Event> events = {event(EventType::send, kA, kB, 10, 5, 100)};
  const auto summary = [&](MachineQuantity quantity, std::int64_t time_ns, std::uint64_t value,
                           std::uint32_t covered_ms, std::uint16_t machine = 0) {
    Event e = event(EventType::summary, kUser, {}, time_ns, 0, covered_ms, machine);
    e.code = static_cast<std::uint32_t>(quantity);
    e.sequence = value;
    events.push_back(e);
  };
  summary(MachineQuantity::load, 20, 100, 1000);
  summary(MachineQuantity::major_faults, 20, 10, 1000);
  summary(MachineQuantity::load, 30, 400, 3000);
  summary(MachineQuantity::major_faults, 30, 3, 500);
  summary(MachineQuantity::load, 30, 7, 1000, 1);
  events.push_back(events.back());
  events.back().code = 999;  // of a later version
  const auto statistics = statistics_of(info, events);
  CHECK(statistics.events == events.size());
  REQUIRE(statistics.processes.size() == 1);
  CHECK(statistics.processes[0].process == kA);
  REQUIRE(statistics.machines.size() == 1);
  REQUIRE(statistics.summaries.size() == 2);
  const QuantitySums& load = statistics.summaries[0][MachineQuantity::load];
  CHECK(load.count == 2);
  CHECK(load.mean(false) == Approx((100. * 1 + 400. * 3) / 4));
  CHECK(load.least == 100);
  CHECK(load.most == 400);
  const QuantitySums& faults = statistics.summaries[0][MachineQuantity::major_faults];
  CHECK(faults.total == 13);
  CHECK(faults.mean(true) == Approx(13 / 1.5));
  CHECK(faults.least == Approx(6));
  CHECK(faults.most == Approx(10));
  CHECK(statistics.summaries[1].machine == MachineId{1});

  StatisticsAnalysis whole, part;
  for (StatisticsAnalysis* each : {&whole, &part}) each->on_begin(info);
  part.on_events(events);
  ByteWriter out;
  part.give(out);
  const Bytes bytes = out.take();
  ByteReader in(bytes);
  whole.take(in);
  CHECK(in.ok());
  CHECK(whole.result().summaries[0][MachineQuantity::load].mean(false) == load.mean(false));
}
