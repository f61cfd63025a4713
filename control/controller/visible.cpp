#include "control/controller/visible.hpp"

#include <fmt/format.h>

#include "model/utf8.hpp"
#include "text/characters.hpp"

namespace dpm::control {
namespace {

std::size_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t count = utf8_bytes(text);
    const std::size_t first = byte_at(text, 0);
    if (count == 0) {
      shown += fmt::format("\\x{:02x}", first);
    } else if (count == 1 && (first < 0x20 || first == 0x7f) && first != '\t') {
      shown += '^';
      shown += static_cast<char>(first ^ 0x40);
    } else if (count > 1 && is_unseen(text.substr(0, count))) {
      shown += '?';
    } else {
      shown += text.substr(0, count);
    }
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return shown;
}

Lines lines_of(std::string_view text) {
  Lines lines;
  while (true) {
    const auto newline = text.find('\n');
    lines.emplace_back(text.substr(0, newline));
    if (newline == std::string_view::npos) return lines;
    text.remove_prefix(newline + 1);
  }
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
