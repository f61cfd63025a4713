#include "text/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "model/check.hpp"
#include "text/characters.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"

namespace dpm {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestCut = 6;  // a word column is never cut below this
constexpr std::size_t kLongWord = 24;     // longer words of sentences are cut rather than all lines made short
constexpr std::size_t kReadable = 9;      // columns go to another part before a word column is cut below this

// As wrapped(), but a single character and the word after it ("% CPU") count as one word.
std::vector<std::string> heading_lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t last = lines.empty() ? 0 : character_count(lines.back());
    if (last == 1 || (last > 1 && last + 1 + character_count(word) <= width)) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::size_t longest_of(const std::vector<std::string>& lines) {
  std::size_t longest = 0;
  for (const auto& line : lines) longest = std::max(longest, character_count(line));
  return longest;
}

std::size_t longest_word(const std::string& heading) { return longest_of(heading_lines_of(heading, 1)); }

// Narrows the widest column that is above its least width, one character at a time, until the table fits or no column
// can become narrower.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t room) {
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  for (; total > room; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

std::size_t most_lines(const std::vector<std::vector<std::string>>& cells) {
  std::size_t most = 1;
  for (const auto& lines : cells) most = std::max(most, lines.size());
  return most;
}

// 1990 -> "1,990"
std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

}  // namespace

std::string more_rows_text(std::size_t count, const RowLimit& limit) {
  if (!limit.exceeded_by(count)) return "";
  return "and " + with_commas(count - limit.rows) + " more (" + limit.option + " shows them)\n";
}

TextTable::TextTable(std::vector<std::string> headings, RowLimit limit, std::size_t naming)
    : headings_(std::move(headings)), limit_(limit), naming_(naming) {
  for (auto& heading : headings_) {
    const bool right = heading.starts_with('>'), wraps = heading.starts_with('~');
    if (right || wraps) heading.erase(0, 1);
    right_.push_back(right);
    wraps_.push_back(wraps);
  }
}

void TextTable::add_row(std::vector<std::string> cells) {
  DPM_CHECK(cells.size() == headings_.size());
  if (++added_ > limit_.rows) return;
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_text(int width) const {
  const auto room = static_cast<std::size_t>(width);
  std::string text;
  for (const auto& columns : parts(room)) text += (text.empty() ? "" : "\n") + part_text(columns, room);
  return text + more_rows_text(added_, limit_);
}

// The width of the longest cell or of the longest word of the heading.
std::size_t TextTable::whole_width(std::size_t column) const {
  std::size_t widest = longest_word(headings_[column]);
  for (const auto& row : rows_) widest = std::max(widest, character_count(row[column]));
  return widest;
}

// The least width that cuts no word of usual length.
std::size_t TextTable::uncut_width(std::size_t column) const {
  if (!wraps_[column]) return whole_width(column);
  std::size_t widest = longest_word(headings_[column]);
  for (const auto& row : rows_) widest = std::max(widest, longest_of(wrapped(row[column], 1)));
  return std::min(widest, kLongWord);
}

std::size_t TextTable::least_width(std::size_t column) const {
  const std::size_t whole = whole_width(column);
  return right_[column] ? whole : std::min(whole, kNarrowestCut);
}

std::size_t TextTable::readable_width(std::size_t column) const {
  return std::max(least_width(column), std::min(whole_width(column), kReadable));
}

std::vector<std::vector<std::size_t>> TextTable::parts(std::size_t room) const {
  std::vector<std::size_t> names;
  std::size_t names_width = 0;
  for (std::size_t c = 0; c < naming_; ++c) {
    names.push_back(c);
    names_width += (c > 0 ? kGap : 0) + readable_width(c);
  }
  std::vector<std::vector<std::size_t>> parts = {names};
  std::size_t used = names_width;
  for (std::size_t c = naming_; c < headings_.size(); ++c) {
    const std::size_t more = kGap + readable_width(c);
    if (used + more > room && parts.back().size() > naming_) {
      parts.push_back(names);
      used = names_width;
    }
    parts.back().push_back(c);
    used += more;
  }
  return parts;
}

// Breaks headings into lines, then sentences, before it cuts words.
std::vector<std::size_t> TextTable::widths_in(const std::vector<std::size_t>& columns, std::size_t room) const {
  std::vector<std::size_t> widths, whole, uncut, least;
  for (const std::size_t c : columns) {
    whole.push_back(whole_width(c));
    uncut.push_back(uncut_width(c));
    least.push_back(least_width(c));
    widths.push_back(std::max(whole.back(), character_count(headings_[c])));
  }
  narrow(widths, whole, room);
  narrow(widths, uncut, room);
  narrow(widths, least, room);
  return widths;
}

std::string TextTable::part_text(const std::vector<std::size_t>& columns, std::size_t room) const {
  const std::vector<std::size_t> widths = widths_in(columns, room);
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_name = !wraps_[columns[i]];
      const std::string cell = is_name ? shortened_name(cell_of(i), widths[i]) : shortened(cell_of(i), widths[i]);
      const std::string pad(widths[i] - character_count(cell), ' ');
      line += (i > 0 ? std::string(kGap, ' ') : "") + (right_[columns[i]] ? pad + cell : cell + pad);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + '\n';
  };
  std::vector<std::vector<std::string>> headings;
  for (std::size_t i = 0; i < columns.size(); ++i)
    headings.push_back(heading_lines_of(headings_[columns[i]], widths[i]));
  // Short headings are aligned to the bottom line.
  const std::size_t heading_lines = most_lines(headings);
  for (std::size_t line = 0; line < heading_lines; ++line)
    add_line([&](std::size_t i) {
      const std::size_t above = heading_lines - headings[i].size();
      return line < above ? std::string() : headings[i][line - above];
    });
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = row[columns[i]];
      cells.push_back(wraps_[columns[i]] ? wrapped(cell, widths[i]) : std::vector<std::string>{cell});
    }
    for (std::size_t line = 0; line < most_lines(cells); ++line)
      add_line([&](std::size_t i) { return line < cells[i].size() ? cells[i][line] : std::string(); });
  }
  return text;
}

}  // namespace dpm
