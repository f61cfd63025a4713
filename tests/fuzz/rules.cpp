// links: dpm_filter dpm_trace dpm_model
// Rule files come from users: what loads decides about records without touching memory outside them.
#include "filter/rules.hpp"

#include <memory>

#include "model/check.hpp"
#include "trace/event_fields.hpp"

namespace {

// Records too short for word-wise comparisons, and with a byte string.
std::vector<dpm::RecordLayout> odd_layouts() {
  return {{"A", 1, 3, {{"traceType", 0, 1, 10}, {"x", 1, 2, 16}}},
          {"B", 2, 19, {{"traceType", 0, 1, 10}, {"x", 1, 2, 10}, {"name", 3, 16, 16}}}};
}

void match_all(const dpm::RuleSet& rules, std::span<const dpm::RecordLayout> layouts) {
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    // Exactly as long as the record, so that the sanitizer sees a read beyond it.
    const auto record = std::make_unique<std::byte[]>(layouts[i].size_bytes);
    const dpm::ClassIndex found = rules.match(i, record.get());
    DPM_CHECK(found == dpm::kNotKept || rules.classes().at(found).layout == i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto odd = odd_layouts();
  for (const std::span<const dpm::RecordLayout> layouts :
       {dpm::event_layouts(), std::span<const dpm::RecordLayout>(odd)}) {
    const auto rules = dpm::RuleSet::compile("file", text, layouts);
    if (rules)
      match_all(*rules, layouts);
    else
      DPM_CHECK(rules.error().what.rfind("file:", 0) == 0);
  }
  return 0;
}
