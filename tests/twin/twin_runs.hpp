// Scenarios as texts, simulated, and the twins of their traces.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "scenarios/behaviour/step_walk.hpp"
#include "scenarios/scenario_file.hpp"
#include "tests/support/catch.hpp"
#include "twin/recording.hpp"
#include "twin/scenario_text.hpp"
#include "twin/twin.hpp"

namespace dpm::testing {

struct Run {
  Result<twin::Recording> recording = Error{"none"};
  double T_s = 0, elapsed_s = 0;
  std::uint64_t messages = 0;
};

// Without codes a trace is like that of live programs: only sizes distinguish kinds of messages.
inline Run simulate(const std::string& text, bool with_codes = true) {
  const auto file = parse_scenario(text, "test/scenario.json", shipped_programs());
  INFO(text);
  REQUIRE((file ? "" : file.error().what) == std::string());
  auto scenario = instantiate(*file, {file->placement, 1, {}});
  REQUIRE(scenario.has_value());
  twin::RecordingSink recorder;
  SimSource source(*scenario);
  const auto done = source.run(recorder);
  INFO((done ? "" : done.error().what));
  REQUIRE(done.has_value());
  Run run{recorder.take()};
  for (const auto& process : source.truth().processes) run.T_s += static_cast<double>(process.cpu_time_ns) * 1e-9;
  run.elapsed_s = source.truth().makespan_all.seconds();
  if (!run.recording) return run;
  run.messages = run.recording->messages;
  for (auto& record : run.recording->records)
    for (auto& operation : record.operations) operation.code = with_codes ? operation.code : 0;
  return run;
}

inline twin::Twin twin_of(const Run& run) {
  REQUIRE(run.recording.has_value());
  auto made = twin::make_twin(*run.recording);
  REQUIRE((made ? "" : made.error().what) == std::string());
  return *made;
}

inline const twin::TwinGroup& group(twin::Twin& twin, const std::string& name) {
  REQUIRE(twin.find(name) != nullptr);
  return *twin.find(name);
}

// The steps of this kind, at any depth.
template <typename What>
std::vector<What> all_of(const twin::TwinGroup& group) {
  std::vector<What> found;
  const auto add = [&](const Step& step) {
    if (const auto* what = std::get_if<What>(&step.what)) found.push_back(*what);
  };
  twin::TwinProgram program = group.program;
  each_step(program.start, add);
  for (auto& handler : program.handlers) each_step(handler.steps, add);
  return found;
}

inline std::string scenario(const std::string& programs, const std::string& processes) {
  return fmt::format("{}{}{}{}}}",
                     R"({"name": "t", "machines": ["red", "blue", {"name": "desk", "count": 3}], "programs": )",
                     programs, R"(, "processes": )", processes);
}

}  // namespace dpm::testing
