// links: dpm_sampling_counts
// Files of counts: what can be read is written the same, and nothing else happens.
#include <cstdint>
#include <string_view>

#include "model/check.hpp"
#include "sampling/counts/count_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto counts = dpm::sampling::read_counts(text, "fuzz");
  if (!counts) return 0;
  const auto again = dpm::sampling::read_counts(dpm::sampling::to_text(*counts), "fuzz");
  DPM_CHECK(again && *again == *counts);
  return 0;
}
