#include "analysis/levels/machine_levels.hpp"

#include <cmath>

#include "analysis/levels/levels.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Event summary(MachineQuantity quantity, std::int64_t time_ns, std::uint64_t value, std::uint32_t covered_ms) {
  Event event;
  event.type = EventType::summary;
  event.process = ProcessId{0};
  event.machine = MachineId{0};
  event.local_time = {time_ns};
  event.code = static_cast<std::uint32_t>(quantity);
  event.sequence = value;
  event.length_bytes = covered_ms;
  return event;
}

TraceInfo one_machine() {
  TraceInfo info;
  info.machines = {{"red", 1}};
  info.processes = {{"dpm meter", "", MachineId{0}, 0, false}};
  return info;
}

std::vector<double> between(const LevelsAnalysis& levels, MachineSeries series,
                            std::initializer_list<std::int64_t> edges_ms) {
  std::vector<RunTime> edges;
  for (const std::int64_t edge : edges_ms) edges.push_back({edge * kMs});
  return levels.machines().of(MachineId{0}, series, edges, levels.offsets());
}

}  // namespace

TEST_CASE("machine levels: a value holds in the time that its SUMMARY covers, and nowhere else", "[levels]") {
  const TraceInfo info = one_machine();
  LevelsAnalysis levels;
  levels.on_begin(info);
  const std::vector<Event> events = {summary(MachineQuantity::load, 0, 0, 0),
                                     summary(MachineQuantity::load, 100 * kMs, 100, 100),
                                     summary(MachineQuantity::disk_read_bytes, 100 * kMs, 512, 100),
                                     summary(MachineQuantity::load, 300 * kMs, 400, 100)};
  levels.on_events(events);
  levels.on_end({});
  CHECK(levels.doing(ProcessId{0}) == LevelsAnalysis::Doing::not_seen);
  CHECK(between(levels, MachineSeries::load, {0, 50, 100}) == std::vector<double>{1, 1});
  CHECK(between(levels, MachineSeries::load, {50, 250}).front() == Approx((1. * 50 + 4. * 50) / 100));
  CHECK(std::isnan(between(levels, MachineSeries::load, {120, 180}).front()));
  CHECK(between(levels, MachineSeries::disk_read, {0, 100}).front() == Approx(5120));
  CHECK(std::isnan(between(levels, MachineSeries::disk_read, {200, 300}).front()));
  CHECK(levels.machines().has(MachineId{0}));
  CHECK_FALSE(levels.machines().has(MachineId{7}));
}

TEST_CASE("machine levels: memory is bounded, and the mean of all stays", "[levels]") {
  const TraceInfo info = one_machine();
  LevelsAnalysis levels;
  levels.on_begin(info);
  double sum = 0;
  const std::int64_t count = 5 * static_cast<std::int64_t>(MachineLevels::kIntervalsMost);
  levels.on_events(std::vector{summary(MachineQuantity::load, 0, 0, 0)});
  for (std::int64_t i = 1; i <= count; ++i) {
    const auto value = static_cast<std::uint64_t>(i * 7919 % 1000);
    levels.on_events(std::vector{summary(MachineQuantity::load, i * 10 * kMs, value, 10)});
    sum += static_cast<double>(value) / kLoadUnit;
  }
  levels.on_end({});
  const double mean = between(levels, MachineSeries::load, {0, count * 10}).front();
  CHECK(mean == Approx(sum / static_cast<double>(count)).epsilon(1e-4));
  const double newest = between(levels, MachineSeries::load, {(count - 1) * 10, count * 10}).front();
  CHECK(newest == Approx(static_cast<double>(count * 7919 % 1000) / kLoadUnit).epsilon(1e-4));
}

}  // namespace dpm
