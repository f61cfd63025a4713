// Twins of random programs run to their end and make the same messages, both from a full trace and from what a live
// trace would show.
#include "backends/sim/sim_source.hpp"
#include "cli/twin/twin_trial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "validation/program_generator/random_program.hpp"

using namespace dpm;

namespace {

twin::Recording recording_of(const validation::RandomProgram& program) {
  auto scenario = instantiate(program.file, {program.file.placement, program.seed, {}});
  REQUIRE(scenario.has_value());
  twin::RecordingSink recorder;
  SimSource source(*std::move(scenario));
  REQUIRE(source.run(recorder).has_value());
  auto recording = recorder.take();
  REQUIRE(recording.has_value());
  return *std::move(recording);
}

// Live messages have no codes: only their sizes distinguish them.
twin::Recording as_live(twin::Recording recording) {
  recording.info.properties.scripted = false;
  for (auto& record : recording.records)
    for (auto& operation : record.operations) operation.code = 0;
  return recording;
}

}  // namespace

TEST_CASE("twin: random programs have a twin that runs and makes their messages", "[twin]") {
  const std::uint64_t programs = test::fewer_if_sanitized(20, 4, "twins of random programs");
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto program = validation::random_program(seed);
    const twin::Recording recording = recording_of(program);
    for (const bool live : {false, true}) {
      const auto trial = cli::try_twin(live ? as_live(recording) : recording, {}, {}, [](const std::string&) {});
      INFO(program.name() << (live ? ", as live" : ""));
      REQUIRE(trial.has_value());
      for (const auto& lack : trial->reproduction.lacks) UNSCOPED_INFO(lack);
      CHECK(trial->reproduction.lacks.empty());
    }
  }
}
