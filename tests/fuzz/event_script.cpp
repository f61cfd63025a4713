// links: dpm_filter_scripts
// Event scripts: an error names its line, and what is accepted refers to what exists.
#include <cstdint>
#include <dpm/monitor/actions.hpp>
#include <string_view>

#include "filter/scripts/event_script.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto script = dpm::parse_event_script("fuzz", {reinterpret_cast<const char*>(data), size});
  if (!script) {
    DPM_CHECK(script.error().what.starts_with("fuzz:"));
    return 0;
  }
  for (const dpm::EventDefinition& event : script->events) {
    DPM_CHECK(event.action < dpm::monitor::kActionNames.size() && event.process < script->processes.size());
    DPM_CHECK(!event.machine.empty() && !event.function.empty());
    dpm::is_meant(*script, event, "machine", "program", 1);
  }
  return 0;
}
