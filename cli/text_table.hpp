// A table that fits a terminal: numbers to the right, words to the left. Where the whole would be too wide, headings
// are broken into lines, then the widest words cut with "…", then the columns shown in parts, one below the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::cli {

class TextTable {
 public:
  // A heading that begins with '>' makes a right-aligned column of numbers: ">bytes".
  explicit TextTable(std::vector<std::string> headings);

  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Ends with a newline.
  std::string to_text(int width) const;

 private:
  std::size_t whole_width(std::size_t column) const;
  std::size_t least_width(std::size_t column) const;
  std::vector<std::vector<std::size_t>> parts(std::size_t room) const;
  std::vector<std::size_t> widths_in(const std::vector<std::size_t>& columns, std::size_t room) const;
  std::string part_text(const std::vector<std::size_t>& columns, std::size_t room) const;

  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// Text from outside for a person's terminal: control characters and what is not UTF-8 are shown as "\x1b", so that a
// name can neither spoil a table nor command the terminal. Lines keeps the ends of lines.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);

// "1.65", "0.0042": `digits` after the point.
std::string fixed(double value, int digits);
// "7", "0.25", as short as it can be read.
std::string short_number(double value);
// Four digits, whatever the size: "0.0042", "1.637", "80.02".
std::string significant(double value);
// Seconds with a unit that suits: "12.3 ms", "4.56 s".
std::string seconds_text(double seconds);
// "51 %"
std::string percent(double fraction, int digits = 0);
// "+0.30 %", "-1.20 %", and "0.00 %" for what rounds to nothing.
std::string signed_percent(double fraction, int digits);

}  // namespace dpm::cli
