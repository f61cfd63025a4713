// Which look of a table belongs to which thread that is known.
#include "sampling/proc/sampled_process.hpp"

#include "sampling/proc/selection.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

TaskLook look_at(std::uint32_t thread, std::uint64_t start_ticks, std::uint64_t ran_ns) {
  TaskLook look{.thread = thread};
  look.stat.letter = 'R';
  look.stat.start_ticks = start_ticks;
  look.counters.ran_ns = ran_ns;
  return look;
}

TEST_CASE("sampled process: a thread keeps its account as long as it lives", "[sampling]") {
  DescriptorLookup descriptors;
  SampledProcess process(7, 100, "");
  const std::vector<TaskLook> first = {look_at(7, 100, 5), look_at(8, 110, 6)};
  REQUIRE(process.take(first, descriptors).threads.size() == 2);
  const auto before = process.take(first, descriptors).threads;
  before[1]->counters_before.ran_ns = 6;
  const std::vector<TaskLook> later = {look_at(7, 100, 9), look_at(8, 110, 9)};
  CHECK(process.take(later, descriptors).threads == before);
  // Thread 8 has ended, and another one has its number.
  const std::vector<TaskLook> other = {look_at(7, 100, 9), look_at(8, 150, 1)};
  const auto found = process.take(other, descriptors);
  REQUIRE(found.threads.size() == 2);
  CHECK(found.threads[0] == before[0]);
  CHECK(found.threads[1]->counters_before.ran_ns == 0);
}

TEST_CASE("sampled process: a later process with the same number is not this one, which is ending", "[sampling]") {
  DescriptorLookup descriptors;
  SampledProcess process(7, 100, "");
  const std::vector<TaskLook> first = {look_at(7, 100, 5), look_at(8, 110, 6)};
  REQUIRE_FALSE(process.take(first, descriptors).gone);
  const std::vector<TaskLook> other = {look_at(6, 160, 0), look_at(7, 150, 1)};
  const auto found = process.take(other, descriptors);
  CHECK(found.gone);
  CHECK(found.ending == 1);
  CHECK(found.threads.empty());
}

TEST_CASE("sampled process: one that leaves its terminal stays in the background of it", "[sampling]") {
  constexpr std::uint32_t kTerminal = 34816, kOther = 34817;
  DescriptorLookup descriptors;
  const auto terminal_after = [&](SampledProcess& process, std::uint32_t terminal, std::int32_t foreground_group) {
    TaskLook look = look_at(7, 100, 5);
    look.stat.terminal = terminal;
    look.stat.foreground_group = foreground_group;
    look.stat.group = 7;
    process.take(std::vector{look}, descriptors);
    return std::pair(process.stat().terminal, is_in_foreground(process.stat()));
  };
  SampledProcess process(7, 100, "");
  CHECK(terminal_after(process, kTerminal, 7) == std::pair(kTerminal, true));
  CHECK(terminal_after(process, 0, -1) == std::pair(kTerminal, false));
  CHECK(terminal_after(process, kOther, 7) == std::pair(kOther, true));
  SampledProcess child(7, 100, "", kTerminal);
  CHECK(terminal_after(child, 0, -1) == std::pair(kTerminal, false));
}

}  // namespace
}  // namespace dpm::sampling
