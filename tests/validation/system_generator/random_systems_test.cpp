// The generator of random systems keeps its promises: every system loads, has the size that is promised, ends by itself
// in every placement, and is a function of its seed.
#include <algorithm>
#include <map>
#include <set>

#include "backends/sim/sim_source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "validation/system_generator/random_system.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::validation;

namespace {

struct IgnoreEvents : EventSink {
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event>) override {}
  void on_end(const LossReport&) override {}
};

Scenario scenario_of(const RandomSystem& system, const std::string& placement) {
  Overrides overrides;
  overrides.placement = placement;
  overrides.seed = system.seed;
  return instantiate(system.file, overrides).value();
}

SimTruth truth_of(Scenario scenario) {
  SimSource source(std::move(scenario));
  IgnoreEvents ignore;
  const auto ran = source.run(ignore);
  INFO((ran ? "" : ran.error().what));
  REQUIRE(ran);
  return source.truth();
}

}  // namespace

TEST_CASE("random systems: a system is a function of its seed, and no two seeds give the same", "[random]") {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomSystem system = random_system(seed);
    INFO(system.name());
    CHECK(system.text == random_system(seed).text);
    CHECK(system.file.placement_names.size() >= 3);
    texts.insert(system.text);
  }
  CHECK(texts.size() == 200);
}

TEST_CASE("random systems: classes alternate, or are chosen", "[random]") {
  std::map<SystemClass, int> count;
  for (std::uint64_t seed = 0; seed < 2 * kSystemClassCount; ++seed) ++count[random_system(seed).system_class];
  CHECK(count.size() == kSystemClassCount);
  CHECK(random_system(3, SystemClass::limits).system_class == SystemClass::limits);
}

TEST_CASE("random systems: 4 to 25 processes stand on 2 to 6 machines", "[random]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomSystem system = random_system(seed);
    INFO(system.name());
    const Scenario scenario = scenario_of(system, "spread");
    CHECK(scenario.processes.size() >= 4);
    CHECK(scenario.processes.size() <= 25);
    CHECK(scenario.machines.size() >= 2);
    CHECK(scenario.machines.size() <= 6);
  }
}

TEST_CASE("random systems: every system ends by itself in every placement, after 200 to 8000 messages", "[random]") {
  const std::uint64_t systems = fewer_if_sanitized(40, 8, "random systems");
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const RandomSystem system = random_system(seed);
    for (const auto& placement : system.file.placement_names) {
      INFO(system.name() << ", placement " << placement);
      const SimTruth truth = truth_of(scenario_of(system, placement));
      CHECK_FALSE(truth.deadlocked);
      CHECK(truth.ended_by == "every process ended");
      CHECK(truth.messages_delivered >= 200);
      CHECK(truth.messages_delivered <= 8000);
    }
  }
}
