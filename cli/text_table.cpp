#include "cli/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestCut = 8;  // a word column is never cut below this

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Characters, not bytes: names may be UTF-8.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string cut(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && seen++ == width - 1) break;
  }
  return text.substr(0, end) + "…";
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (auto& heading : headings_) {
    const bool right = !heading.empty() && heading.front() == '>';
    if (right) heading.erase(0, 1);
    right_.push_back(right);
  }
}

void TextTable::add_row(std::vector<std::string> cells) {
  DPM_CHECK(cells.size() == headings_.size());
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
