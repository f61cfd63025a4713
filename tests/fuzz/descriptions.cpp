// links: dpm_filter dpm_trace dpm_model
// Description files come from users: what loads has only fields inside their records, apart from each other.
#include "filter/descriptions.hpp"

#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = dpm::parse_descriptions("file", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed) {
    DPM_CHECK(parsed.error().what.rfind("file:", 0) == 0);
    return 0;
  }
  DPM_CHECK(!parsed->records.empty());
  for (const auto& layout : parsed->records) {
    std::uint32_t end = 0;
    for (const auto& field : layout.fields) {
      DPM_CHECK(field.length_bytes > 0 && field.offset_bytes >= end);
      end = field.offset_bytes + field.length_bytes;
      DPM_CHECK(end <= layout.size_bytes);
    }
  }
  return 0;
}
