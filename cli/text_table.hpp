// A table that fits a terminal: numbers are right-aligned, words left-aligned. A table that is too wide first breaks its
// headings into lines, then cuts its widest words with "…", then shows its columns in parts, one below the other.
#pragma once

#include <string>
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

}  // namespace dpm::cli
