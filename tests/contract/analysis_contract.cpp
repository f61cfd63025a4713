#include "tests/contract/analysis_contract.hpp"

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

}  // namespace

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
  return violations;
}

}  // namespace dpm
