// links: dpm_claims
// Any text is a claim, a baseline, a result, or refused with a message; what was understood is written so that it is
// understood again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/validate/baseline.hpp"
#include "cli/validate/claim_result.hpp"
#include "model/check.hpp"

namespace {

constexpr const char* kClaim = R"({"claim": "a claim", "figures": {
  "error": {"what": "mean error", "unit": "%", "goal": {"at_most": 0.5}, "noise": 0.02},
  "width": {"what": "mean width", "unit": "%", "goal": null, "better": "lower", "noise": 0.1}}})";

template <typename T>
void check_refusal(const dpm::Result<T>& result) {
  DPM_CHECK(result.has_value() || !result.error().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpm::cli;
  static const Claim claim = parse_claim(kClaim, "validation/fuzz/claim.json").value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_refusal(parse_claim(text, "validation/fuzz/claim.json"));
  const auto baseline = parse_baseline(text, "baseline.json", claim);
  check_refusal(baseline);
  if (baseline) DPM_CHECK(parse_baseline(baseline_text(claim, *baseline), "baseline.json", claim).has_value());
  const auto result = parse_claim_result(text, "result.json", claim);
  check_refusal(result);
  if (result) DPM_CHECK(parse_claim_result(claim_result_text(*result), "result.json", claim).has_value());
  return 0;
}
