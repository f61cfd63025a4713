#include "text/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "text/characters.hpp"

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

// The same as the page's (view/page/names.ts). Terminals obey the controls. The others are not seen and turn, join or hide the text beside
// them. The joiners U+200C and U+200D belong to the spelling of words.
constexpr std::array kUnseen = {CodePoints{0x0, 0x1f},       CodePoints{0x7f, 0x9f},     CodePoints{0x61c, 0x61c},
                                CodePoints{0x200b, 0x200b},  CodePoints{0x200e, 0x200f}, CodePoints{0x2028, 0x202e},
                                CodePoints{0x2060, 0x2069},  CodePoints{0xfeff, 0xfeff}, CodePoints{0xfff9, 0xfffb},
                                CodePoints{0xe0000, 0xe007f}};

bool is_unseen(std::string_view character) {
  const char32_t code = code_point(character);
  return std::any_of(kUnseen.begin(), kUnseen.end(),
                     [code](CodePoints range) { return code >= range.first && code <= range.last; });
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    const bool is_line_end = keep_lines && character == "\n";
    if (is_line_end || (bytes > 0 && !is_unseen(character))) {
      shown += character;
    } else {
      for (const char c : character) {
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
        shown += code;
      }
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

}  // namespace dpm
