#include "backends/linux/calls/machine_summaries.hpp"

#include "tests/backends/linux/calls/scene.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

MachineValues values_of(std::uint64_t load, std::uint64_t faults) {
  MachineValues values;
  values[static_cast<std::size_t>(MachineQuantity::load)] = load;
  values[static_cast<std::size_t>(MachineQuantity::major_faults)] = faults;
  return values;
}

std::uint64_t value_in(const std::vector<Event>& summaries, MachineQuantity quantity) {
  for (const Event& event : summaries)
    if (event.code == static_cast<std::uint32_t>(quantity)) return event.sequence;
  FAIL("no such quantity");
  return 0;
}

}  // namespace

TEST_CASE("machine summaries: a level is the last one, a count what was added since", "[linux]") {
  MachineSummaries summaries(Duration{kSecondNs});
  CHECK(summaries.take(values_of(10, 1000), {0}, 0).empty());
  const auto first = summaries.take(values_of(20, 1003), {kSecondNs}, kSecondNs);
  REQUIRE(first.size() == 2);
  CHECK(value_in(first, MachineQuantity::load) == 20);
  CHECK(value_in(first, MachineQuantity::major_faults) == 3);
  CHECK(first[0].length_bytes == 1000);
  const auto second = summaries.take(values_of(5, 1010), {3 * kSecondNs}, 3 * kSecondNs);
  CHECK(value_in(second, MachineQuantity::load) == 5);
  CHECK(value_in(second, MachineQuantity::major_faults) == 7);
  CHECK(second[0].length_bytes == 2000);
}

TEST_CASE("machine summaries: counts that went back add nothing, and those that come later count from then",
          "[linux]") {
  MachineSummaries summaries(Duration{kSecondNs});
  summaries.take(values_of(10, 1000), {0}, 0);
  CHECK(value_in(summaries.take(values_of(10, 400), {kSecondNs}, kSecondNs), MachineQuantity::major_faults) == 0);
  MachineValues more = values_of(10, 401);
  more[static_cast<std::size_t>(MachineQuantity::disk_read_bytes)] = 512;
  CHECK(summaries.take(more, {2 * kSecondNs}, 2 * kSecondNs).size() == 2);
  CHECK(value_in(summaries.take(more, {3 * kSecondNs}, 3 * kSecondNs), MachineQuantity::disk_read_bytes) == 0);
}

TEST_CASE("machine summaries: they are due at the interval, and missed ones are not made up for", "[linux]") {
  MachineSummaries summaries(Duration{kSecondNs});
  CHECK(summaries.is_due(5));
  summaries.take({}, {5}, 5);
  CHECK_FALSE(summaries.is_due(kSecondNs));
  CHECK(summaries.is_due(kSecondNs + 5));
  summaries.take({}, {kSecondNs + 9}, kSecondNs + 9);
  CHECK_FALSE(summaries.is_due(2 * kSecondNs + 4));
  CHECK(summaries.is_due(2 * kSecondNs + 5));
  summaries.take({}, {9 * kSecondNs}, 9 * kSecondNs);
  CHECK_FALSE(summaries.is_due(9 * kSecondNs + 6));
  CHECK(summaries.is_due(10 * kSecondNs));
  CHECK_FALSE(MachineSummaries(std::nullopt).is_due(5));
}

TEST_CASE("machine summaries: they are events of the meter, which is outside the computation and is not counted",
          "[linux]") {
  Scene scene;
  scene.process(10, "server");
  MachineSummaries summaries(Duration{kSecondNs});
  summaries.take(values_of(1, 1), {0}, 0);
  scene.meter.summarises(summaries.take(values_of(1, 1), {5}, 5), 3, {.pid = 77, .began_ns = 8});
  scene.process(11, "client");
  scene.take();
  REQUIRE(scene.info.processes.size() == 3);
  CHECK(scene.info.processes[1].name == "dpm meter");
  CHECK(scene.info.processes[1].pid == 77);
  CHECK_FALSE(scene.info.processes[1].in_computation);
  CHECK(scene.info.processes[2].name == "client");
  CHECK(scene.meter.processes().process_count() == 2);
  CHECK(scene.meter.processes().thread_count() == 2);
  CHECK(scene.count(EventType::summary) == 2);
  for (const Event& event : scene.events)
    if (event.type == EventType::summary) CHECK((event.process == ProcessId{1} && event.load == 3));
}

}  // namespace dpm
