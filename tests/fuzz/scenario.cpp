// links: dpm_scenarios
// Any text is either a scenario or refused with a message; a scenario that was accepted can be instantiated.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/check.hpp"
#include "scenarios/scenario_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dpm::ProgramRegistry registry = dpm::shipped_programs();
  const auto file =
      dpm::parse_scenario(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz/scenario.json", registry);
  if (file) {
    DPM_CHECK(dpm::instantiate(*file).has_value());
  } else {
    DPM_CHECK(!file.error().what.empty());
  }
  return 0;
}
