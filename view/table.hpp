// A table of a report. Columns of numbers are set flush right.
#pragma once

#include <string>
#include <vector>

namespace dpm::view {

// prose: a sentence, which keeps room to be read on a telephone.
enum class CellTone { normal, muted, strong, prose, pass, fail };

struct Cell {
  std::string text;
  CellTone tone = CellTone::normal;
};

struct Column {
  std::string header;
  bool number = false;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

}  // namespace dpm::view
