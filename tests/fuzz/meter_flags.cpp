// links: dpm_model
// Meter flag lists come from users and scenario files: whatever is read prints as something that reads back the same.
#include "model/meter_flags.hpp"

#include <string_view>

#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto flags = dpm::apply_flags({}, std::string_view(reinterpret_cast<const char*>(data), size));
  if (!flags) {
    DPM_CHECK(!flags.error().what.empty());
    return 0;
  }
  if (!flags->none()) DPM_CHECK(dpm::apply_flags({}, dpm::to_string(*flags)).value() == *flags);
  return 0;
}
