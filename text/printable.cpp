#include "text/printable.hpp"

#include <algorithm>
#include <cstdio>

#include "text/characters.hpp"

namespace dpm {
namespace {

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
