#include "view/server/page_policy.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "model/check.hpp"
#include "model/lower_case.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kSha256Bytes = 32, kBase64Bytes = 44;

std::string hash_source(const std::string& text) {
  std::array<unsigned char, kSha256Bytes> digest;
  DPM_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  std::array<unsigned char, kBase64Bytes + 1> base64;
  DPM_CHECK(EVP_EncodeBlock(base64.data(), digest.data(), kSha256Bytes) == static_cast<int>(kBase64Bytes));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

std::string sources(std::string_view page, std::string_view tag) {
  std::string text;
  for (const auto& content : inline_texts(page, tag)) text += " " + hash_source(content);
  return text.empty() ? " 'none'" : text;
}

// Behind the '>' that ends the tag which begins at `at`: a '>' between quotation marks does not.
std::size_t end_of_tag(std::string_view page, std::size_t at) {
  char quote = 0;
  for (; at < page.size(); ++at) {
    const char c = page[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    }
  }
  return page.size();
}

std::string with_plain_line_ends(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    result += text[at] == '\r' ? '\n' : text[at];
  }
  return result;
}

}  // namespace

std::string page_policy(std::string_view page, std::string_view socket_origin) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; connect-src 'self'{}{}; img-src 'self' data:; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      sources(page, "script"), sources(page, "style"), socket_origin.empty() ? "" : " ", socket_origin);
}

std::string_view empty_policy() {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::vector<std::string> inline_texts(std::string_view page, std::string_view tag) {
  const std::string lower = lower_case(std::string(page));
  const std::string opening = fmt::format("<{}", tag), closing = fmt::format("</{}", tag);
  std::vector<std::string> texts;
  for (auto at = lower.find(opening); at != std::string::npos; at = lower.find(opening, at)) {
    at += opening.size();
    if (at >= lower.size() || std::string_view(" \t\r\n/>").find(lower[at]) == std::string_view::npos) continue;
    const auto begin = end_of_tag(page, at);
    const auto end = std::min(lower.find(closing, begin), lower.size());
    texts.push_back(with_plain_line_ends(page.substr(begin, end - begin)));
    at = end;
  }
  return texts;
}

}  // namespace dpm::view
