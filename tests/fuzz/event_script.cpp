// links: dpm_filter_scripts dpm_vector_clocks
// Event scripts: an error names its line, and what is accepted refers to what exists.
#include <cstdint>
#include <dpm/monitor/actions.hpp>
#include <string_view>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "filter/scripts/event_evaluator.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto script = dpm::parse_event_script("fuzz", {reinterpret_cast<const char*>(data), size});
  if (!script) {
    DPM_CHECK(script.error().what.starts_with("fuzz:"));
    return 0;
  }
  std::uint64_t found = 0;
  dpm::EventEvaluator evaluator(*script, [&](const dpm::HighLevelOccurrence&) { ++found; });
  dpm::RunningClocks clocks;
  for (std::size_t i = 0; i < 2 * script->events.size() && i < 64; ++i) {
    const dpm::VectorClock& clock = clocks.perform(0);
    evaluator.add({i % script->events.size(), 0, clocks.count_of(0), static_cast<std::int64_t>(i), {}}, clock);
  }
  evaluator.time_is(INT64_MAX / 2);
  for (const dpm::EventDefinition& event : script->events) {
    DPM_CHECK(event.action < dpm::monitor::kActionNames.size() && event.process < script->processes.size());
    DPM_CHECK(!event.machine.empty() && !event.function.empty());
    dpm::is_meant(*script, event, "machine", "program", 1);
  }
  return 0;
}
