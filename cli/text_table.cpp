#include "cli/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestCut = 6;  // a word column is never cut below this

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Characters, not bytes: names may be UTF-8.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string cut(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && seen++ == width - 1) break;
  }
  return text.substr(0, end) + "…";
}

// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with something else.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t bytes = first < 0x80                    ? 1
                            : first >= 0xc2 && first < 0xe0 ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!continues_character(text[i])) return 0;
  return bytes;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // C1: terminals obey these as well
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    const bool is_line_end = keep_lines && character == "\n";
    if (is_line_end || (bytes > 0 && !is_control(character))) {
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

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (auto& heading : headings_) {
    const bool right = !heading.empty() && heading.front() == '>';
    if (right) heading.erase(0, 1);
    right_.push_back(right);
  }
}

void TextTable::add_row(std::vector<std::string> cells) {
  DPM_CHECK(cells.size() == headings_.size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_text(int width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    std::size_t widest = columns(headings_[c]);
    for (const auto& row : rows_) widest = std::max(widest, columns(row[c]));
    widths.push_back(widest);
  }
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t w : widths) total += w;
  while (total > static_cast<std::size_t>(width)) {
    std::size_t widest_word = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (!right_[c] && widths[c] > kNarrowestCut && (widest_word == widths.size() || widths[c] > widths[widest_word]))
        widest_word = c;
    if (widest_word == widths.size()) break;  // only numbers left: a number is never cut
    --widths[widest_word];
    --total;
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = cut(cells[c], widths[c]);
      const std::string pad(widths[c] - columns(cell), ' ');
      line += (c > 0 ? std::string(kGap, ' ') : "") + (right_[c] ? pad + cell : cell + pad);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + '\n';
  };
  add_line(headings_);
  for (const auto& row : rows_) add_line(row);
  return text;
}

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string short_number(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

std::string significant(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::string seconds_text(double seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude == 0) return "0 s";
  if (magnitude < 1e-6) return fixed(seconds * 1e9, 0) + " ns";
  if (magnitude < 1e-3) return fixed(seconds * 1e6, 1) + " us";
  if (magnitude < 1) return fixed(seconds * 1e3, 2) + " ms";
  return fixed(seconds, 2) + " s";
}

std::string percent(double fraction, int digits) { return fixed(fraction * 100, digits) + " %"; }

std::string signed_percent(double fraction, int digits) {
  const std::string text = percent(fraction, digits);
  const bool rounds_to_nothing = text.find_first_of("123456789") == std::string::npos;
  if (rounds_to_nothing) return percent(0, digits);
  return fraction > 0 ? "+" + text : text;
}

}  // namespace dpm::cli
