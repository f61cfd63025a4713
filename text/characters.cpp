#include "text/characters.hpp"

#include "model/utf8.hpp"

namespace dpm {

std::size_t character_bytes(std::string_view text) {
  // U+FFFE and U+FFFF are code points, but not characters.
  const bool is_none = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
  return is_none ? 0 : utf8_bytes(text);
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string shortened(std::string_view text, std::size_t characters) {
  if (character_count(text) <= characters) return std::string(text);
  std::size_t count = 0, end = 0;
  while (end < text.size()) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++count == characters) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

}  // namespace dpm
