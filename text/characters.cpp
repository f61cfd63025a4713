#include "text/characters.hpp"

#include <algorithm>
#include <array>

#include "model/utf8.hpp"

namespace dpm {
namespace {

char32_t code_point(std::string_view character) {
  const auto byte = [character](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0xffu >> (character.size() + 1));
  for (std::size_t at = 1; at < character.size(); ++at) code = code << 6 | (byte(at) & 0x3fu);
  return code;
}

struct CodePoints {
  char32_t first, last;
};

// The joiners U+200C and U+200D belong to the spelling of words.
constexpr std::array kUnseen = {CodePoints{0x0, 0x1f},       CodePoints{0x7f, 0x9f},     CodePoints{0x61c, 0x61c},
                                CodePoints{0x200b, 0x200b},  CodePoints{0x200e, 0x200f}, CodePoints{0x2028, 0x202e},
                                CodePoints{0x2060, 0x2069},  CodePoints{0xfeff, 0xfeff}, CodePoints{0xfff9, 0xfffb},
                                CodePoints{0xe0000, 0xe007f}};

}  // namespace

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

std::string shortened_name(std::string_view name, std::size_t characters) {
  constexpr std::size_t kNoMiddle = 3;  // "a…" says as much as "…b"
  const std::size_t count = character_count(name);
  if (count <= characters || characters < kNoMiddle) return shortened(name, characters);
  const std::size_t tail = (characters - 1) / 2;
  std::size_t end = name.size();
  for (std::size_t left = tail; left > 0; left -= (static_cast<unsigned char>(name[end]) & 0xC0) != 0x80 ? 1 : 0) --end;
  return shortened(name, characters - tail) + std::string(name.substr(end));
}

bool is_unseen(std::string_view character) {
  const char32_t code = code_point(character);
  return std::any_of(kUnseen.begin(), kUnseen.end(),
                     [code](CodePoints range) { return code >= range.first && code <= range.last; });
}

}  // namespace dpm
