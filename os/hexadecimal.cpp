#include "os/hexadecimal.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

std::string hexadecimal(std::string_view bytes) {
  return hexadecimal(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

bool is_hexadecimal(std::string_view text) { return text.find_first_not_of(kDigits) == std::string_view::npos; }

std::optional<std::string> from_hexadecimal(std::string_view text) {
  if (text.size() % 2 != 0 || !is_hexadecimal(text)) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<char>(kDigits.find(text[i]) << 4 | kDigits.find(text[i + 1])));
  return bytes;
}

bool read_hexadecimal(std::string_view text, std::span<unsigned char> bytes) {
  const auto read = from_hexadecimal(text);
  if (!read || read->size() != bytes.size()) return false;
  std::transform(read->begin(), read->end(), bytes.begin(), [](char c) { return static_cast<unsigned char>(c); });
  return true;
}

}  // namespace dpm
