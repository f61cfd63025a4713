// The order of receives that is chosen for each process, on programs with known rules.
#include <algorithm>
#include <cmath>

#include "analysis/behaviour/behaviour.hpp"
#include "analysis/prediction/prediction.hpp"
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

bool begins_with(const std::string& text, const std::string& beginning) { return text.rfind(beginning, 0) == 0; }

}  // namespace

TEST_CASE("order choice: dispatchers are recognised, whether work is given out, fetched, or done in step", "[random]") {
  const std::uint64_t programs = fewer_if_sanitized(25, 4, "random programs");
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const RandomProgram program = random_program(seed, Family::dispatcher_worker);
    for (const auto& placement : program.file.placement_names) {
      INFO(program.name() << ", placement " << placement);
      const TracedRun run = run_of(program, placement);
      const InferredBehaviour choice = infer_behaviour(run.history);
      REQUIRE(!choice.groups.empty());
      for (const RoleGroup& group : choice.groups) {
        CHECK(begins_with(run.history.info[group.dispatcher].name, "dispatcher"));
        CHECK(begins_with(group.program, "worker"));
      }
    }
  }
}

TEST_CASE("order choice: clients and servers, and stages of pipelines, do not dispatch", "[random]") {
  const std::uint64_t programs = fewer_if_sanitized(25, 4, "random programs");
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    for (const Family family : {Family::client_server, Family::pipeline}) {
      const RandomProgram program = random_program(seed, family);
      for (const auto& placement : program.file.placement_names) {
        INFO(program.name() << ", placement " << placement);
        CHECK(infer_behaviour(run_of(program, placement).history).groups.empty());
      }
    }
  }
}

TEST_CASE("order choice: a process that waits for both neighbours counts, and is predicted exactly", "[random]") {
  int counting = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomProgram program = random_program(seed, Family::peer_to_peer);
    if (program.variant.find("waiting for any") == std::string::npos) continue;
    const TracedRun traced = run_of(program, "drawn"), there = run_of(program, "spread");
    INFO(program.name());
    const Prediction prediction = predict(traced.history, traced.target_on(there.scenario)).value();
    for (const auto& entry : prediction.why) counting += entry.order == "count";
    CHECK(std::fabs(prediction.elapsed_s / there.elapsed_s() - 1) < 1e-6);
  }
  CHECK(counting > 0);
}

TEST_CASE("interval: it holds the truth for most random programs, and has no width where nothing is open", "[random]") {
  const std::uint64_t programs = fewer_if_sanitized(15, 3, "random programs");
  int cells = 0, held = 0, open = 0;
  for (std::uint64_t seed = 2001; seed < 2001 + programs; ++seed) {
    const RandomProgram program = random_program(seed);
    const TracedRun traced = run_of(program, "spread"), there = run_of(program, "blocks");
    const Prediction prediction = predict(traced.history, traced.target_on(there.scenario)).value();
    INFO(program.name());
    REQUIRE(prediction.interval);
    CHECK(prediction.interval->low_P <= prediction.P);
    CHECK(prediction.interval->high_P >= prediction.P);
    ++cells;
    held += prediction.interval->low_P <= there.P() && there.P() <= prediction.interval->high_P;
    open += prediction.interval->high_P / prediction.P > 1.0001;
    const Prediction here = predict(traced.history, traced_target(traced.history)).value();
    CHECK(here.interval->high_P / here.P < 1 + 1e-5);
  }
  CHECK(held >= cells * 3 / 4);
  CHECK(open > 0);
}
