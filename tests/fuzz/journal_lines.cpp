// links: dpm_decisions
// Lines of a scheduler's journal: what is read and written again stays the same from then on.
#include <cstdint>
#include <string_view>

#include "model/check.hpp"
#include "scheduling/decisions/journal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entry = dpm::decode_entry({reinterpret_cast<const char*>(data), size});
  if (!entry) return 0;
  const std::string line = dpm::encode_entry(*entry);
  const auto again = dpm::decode_entry(line);
  DPM_CHECK(again && dpm::encode_entry(*again) == line);
  return 0;
}
