#include "tests/contract/analysis_contract.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dpm {
namespace {

std::string result_of(const RunAnalysis& run, const Recording& recording, std::size_t batch_events = 64) {
  MemorySource source(recording, batch_events);
  return run(source);
}

// `typical` with its first event of `type` only; without any event if it has none.
Recording only_one(const Recording& typical, EventType type) {
  Recording one = typical;
  one.events.clear();
  for (const auto& event : typical.events) {
    if (event.type != type) continue;
    one.events.push_back(event);
    break;
  }
  one.losses.seen = one.events.size() + one.losses.lost();
  return one;
}

constexpr std::uint64_t kUsedBeforeNs = 3'000'000'000;

// `recording` with its processes acquired. `start_says_cpu`: whether the first event of each knows what it had used.
Recording acquired(Recording recording, bool start_says_cpu) {
  std::vector<bool> seen(recording.info.processes.size());
  for (auto& process : recording.info.processes) process.acquired = true;
  for (Event& event : recording.events) {
    if (event.process.value >= seen.size()) continue;
    const bool is_first = !seen[event.process.value];
    seen[event.process.value] = true;
    event.proc_time_ns =
        is_first && !start_says_cpu ? 0 : event.proc_time_ns + kUsedBeforeNs * (event.process.value + 1);
  }
  return recording;
}

// `recording` as if each process had used no CPU time before its first event; or, where that does not know it, its second.
Recording begun_here(Recording recording, bool start_says_cpu) {
  std::map<std::uint32_t, std::vector<Event*>> of_process;
  for (Event& event : recording.events)
    if (!event.process.is_none()) of_process[event.process.value].push_back(&event);
  for (auto& [process, events] : of_process) {
    const std::size_t first = start_says_cpu || events.size() == 1 ? 0 : 1;
    const std::uint64_t before_ns = events[first]->proc_time_ns;
    for (Event* event : events) event->proc_time_ns -= std::min(event->proc_time_ns, before_ns);
  }
  return recording;
}

}  // namespace

std::vector<std::string> check_acquired(const RunAnalysis& run, const Recording& typical) {
  std::vector<std::string> violations;
  for (const bool start_says_cpu : {true, false}) {
    const std::string begun = result_of(run, begun_here(typical, start_says_cpu));
    const std::string of_acquired = result_of(run, acquired(typical, start_says_cpu));
    if (begun != of_acquired)
      violations.push_back(std::string("acquired processes, whose CPU time ") +
                           (start_says_cpu ? "their first event tells" : "their second event tells first") + ":\n" +
                           begun + "\nagainst\n" + of_acquired);
  }
  return violations;
}

std::vector<std::string> check_analysis_contract(const RunAnalysis& run, const Recording& typical) {
  std::vector<std::string> violations;
  const auto expect_same = [&](const std::string& a, const std::string& b, const std::string& promise) {
    if (a != b) violations.push_back(promise + ":\n" + a + "\nagainst\n" + b);
  };

  // An analysis that cannot take these does not come back to be reported: a sanitizer or DPM_CHECK stops the test.
  expect_same(result_of(run, Recording{}), result_of(run, Recording{}), "nothing at all, twice");
  for (const auto type : kEventTypes) {
    const Recording one = only_one(typical, type);
    expect_same(result_of(run, one), result_of(run, one), "one " + std::string(name_of(type)) + ", twice");
  }

  const std::string expected = result_of(run, typical);
  expect_same(expected, result_of(run, typical), "the same events again");
  expect_same(expected, result_of(run, typical, 1), "the same events in batches of one");
  expect_same(expected, result_of(run, typical, typical.events.size() + 1), "the same events in a single batch");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    expect_same(expected, result_of(run, reordered_between_processes(typical, seed)),
                "the same events in another order between processes");
  }
  for (std::string& violation : check_acquired(run, typical)) violations.push_back(std::move(violation));
  return violations;
}

}  // namespace dpm
