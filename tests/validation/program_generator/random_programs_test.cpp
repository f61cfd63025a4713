// The generator of random programs keeps its promises: every program loads, ends by itself in every placement, and is a
// function of its seed.
#include <cmath>
#include <map>
#include <set>

#include "analysis/history/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "validation/common/traced_run.hpp"
#include "validation/program_generator/random_program.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::validation;

namespace {

TracedRun run_of(const RandomProgram& program, const std::string& placement) {
  return TracedRun(instance(program.file, placement, {}, program.seed));
}

}  // namespace

TEST_CASE("random programs: a program is a function of its seed, and no two seeds give the same", "[random]") {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomProgram program = random_program(seed);
    CHECK(program.text == random_program(seed).text);
    CHECK(program.file.placement_names.size() >= 3);
    texts.insert(program.text);
  }
  CHECK(texts.size() == 200);
}

TEST_CASE("random programs: families alternate, or are chosen", "[random]") {
  std::map<Family, int> count;
  for (std::uint64_t seed = 0; seed < 2 * kFamilyCount; ++seed) ++count[random_program(seed).family];
  CHECK(count.size() == kFamilyCount);
  CHECK(random_program(3, Family::pipeline).family == Family::pipeline);
}

TEST_CASE("random programs: every program ends by itself in every placement, and its own trace gives back its time",
          "[random]") {
  const std::uint64_t programs = fewer_if_sanitized(60, 5, "random programs");
  std::uint64_t most = 0, least = UINT64_MAX;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const RandomProgram program = random_program(seed);
    for (const auto& placement : program.file.placement_names) {
      INFO(program.name() << ", placement " << placement);
      const TracedRun run = run_of(program, placement);
      CHECK_FALSE(run.truth.deadlocked);
      CHECK(run.truth.ended_by == "every process ended");
      most = std::max(most, run.truth.messages_delivered);
      least = std::min(least, run.truth.messages_delivered);
      const Target target = traced_target(run.history);
      const ReplayResult replayed = Replay(run.history, target).run(Order::recorded, target.machine_of);
      CHECK(replayed.not_performed == 0);
      CHECK(std::fabs(replayed.elapsed_ns * 1e-9 / run.elapsed_s() - 1) <= 1e-9);
    }
  }
  INFO("from " << least << " to " << most << " messages");
  CHECK(least >= 50);
  CHECK(most <= 20000);
}
