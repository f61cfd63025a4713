#include "control/controller/visible.hpp"

#include <fmt/format.h>

namespace dpm::control {
namespace {

std::size_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The bytes of the UTF-8 character (RFC 3629) at the beginning, or 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const std::size_t first = byte_at(text, 0), second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  const std::size_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const std::size_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (std::size_t i = 2; i < count; ++i)
    if (byte_at(text, i) < 0x80 || byte_at(text, i) > 0xbf) return 0;
  return count;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t count = character_bytes(text);
    const std::size_t first = byte_at(text, 0);
    if (count == 0) {
      shown += fmt::format("\\x{:02x}", first);
    } else if (count == 1 && (first < 0x20 || first == 0x7f) && first != '\t') {
      shown += '^';
      shown += static_cast<char>(first ^ 0x40);
    } else if (first == 0xc2 && byte_at(text, 1) < 0xa0) {
      shown += '?';  // terminals obey these control characters too
    } else {
      shown += text.substr(0, count);
    }
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return shown;
}

std::string visible_lines(const Lines& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (i > 0) text += '\n';
    text += visible(line.substr(0, kShownLineBytesMax));
    if (line.size() > kShownLineBytesMax) text += fmt::format("... and {} bytes", line.size() - kShownLineBytesMax);
  }
  return text;
}

}  // namespace dpm::control
