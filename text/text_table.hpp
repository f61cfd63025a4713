// A table that fits a terminal: numbers are right-aligned, words left-aligned. A table that is too wide first breaks its
// headings into lines, then its sentences, then cuts its widest words with "…", then shows its columns in parts, one
// below the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dpm {

// How many rows a table shows of a large system. The lines below it say how many there are more, and which option of the
// command shows them.
struct RowLimit {
  std::size_t rows = static_cast<std::size_t>(-1);
  const char* option = "--all";

  bool exceeded_by(std::size_t count) const { return count > rows; }
};

inline constexpr std::size_t kRowsShown = 12;     // of processes, channels, paths
inline constexpr std::size_t kMachinesShown = 6;  // they are in two tables of dpm run

// "and 1,990 more (--all shows them)\n", or nothing if the limit is not exceeded.
std::string more_rows_text(std::size_t count, const RowLimit& limit);

class TextTable {
 public:
  // A heading that begins with '>' makes a right-aligned column of numbers: ">bytes".
  // One that begins with '~' makes a column of sentences, which break at spaces: a cell takes as many lines as it needs.
  // The first `naming` columns name a row: each part of a table that is too wide begins with them.
  explicit TextTable(std::vector<std::string> headings, RowLimit limit = {}, std::size_t naming = 1);

  // Rows beyond the limit are only counted, so the most important ones come first.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Ends with a newline.
  std::string to_text(int width) const;

 private:
  std::size_t whole_width(std::size_t column) const;
  std::size_t uncut_width(std::size_t column) const;
  std::size_t least_width(std::size_t column) const;
  std::size_t readable_width(std::size_t column) const;
  std::vector<std::vector<std::size_t>> parts(std::size_t room) const;
  std::vector<std::size_t> widths_in(const std::vector<std::size_t>& columns, std::size_t room) const;
  std::string part_text(const std::vector<std::size_t>& columns, std::size_t room) const;

  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<bool> wraps_;
  std::vector<std::vector<std::string>> rows_;
  RowLimit limit_;
  std::size_t naming_;
  std::size_t added_ = 0;
};

}  // namespace dpm
