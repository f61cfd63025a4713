#include "view/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "model/check.hpp"
#include "view/page/page_bytes.hpp"
#include "view/page/page_hashes.hpp"

namespace dpm::view {
namespace {

constexpr std::string_view kNoData = R"(<script type="application/json" id="data">null</script>)";
constexpr std::string_view kDataBegin = R"(<script type="application/json" id="data">)";
constexpr std::string_view kDataEnd = "</script>";

std::uint32_t digit(char hex) { return static_cast<std::uint32_t>(hex <= '9' ? hex - '0' : hex - 'a' + 10); }

// Policies want base64. A SHA-256 has 64 digits: ten groups of three bytes, and two bytes.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : hex) {
    bits = bits << 4 | digit(letter);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kLetters[bits >> count & 63];
  }
  if (count > 0) text += kLetters[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

std::string_view page_html() { return page_bytes(); }

std::string page_with_data(std::string_view json) {
  const std::string_view page = page_bytes();
  const auto place = page.find(kNoData);
  DPM_CHECK(place != std::string_view::npos);
  std::string result;
  result.reserve(page.size() + json.size() + json.size() / 16);
  result.append(page.substr(0, place)).append(kDataBegin);
  for (std::size_t at = 0; at < json.size();) {
    const auto next = std::min(json.find('<', at), json.size());
    result.append(json.substr(at, next - at));
    if (next < json.size()) result.append("\\u003c");
    at = next + 1;
  }
  return result.append(kDataEnd).append(page.substr(place + kNoData.size()));
}

std::string page_security_policy() {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      base64_of_hex(kPageScriptHash), base64_of_hex(kPageStyleHash));
}

}  // namespace dpm::view
