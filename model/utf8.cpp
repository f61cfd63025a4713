#include "model/utf8.hpp"

namespace dpm {

std::size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;   // else it would be overlong
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;  // else a surrogate, or too high
  if (second < lowest || second > highest) return 0;
  for (std::size_t at = 2; at < count; ++at)
    if (byte(at) < 0x80 || byte(at) > 0xBF) return 0;
  return count;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = utf8_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

}  // namespace dpm
