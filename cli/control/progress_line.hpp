// One line of a terminal that changes while a command works.
#pragma once

#include <string_view>

namespace dpm::cli {

class ProgressLine {
 public:
  // In place of what was shown last. Empty: erases it. Writes nothing where standard output is not a terminal.
  void show(std::string_view text);

 private:
  bool is_shown_ = false;
};

// The width of the terminal on standard output, or 80.
std::size_t terminal_columns();

}  // namespace dpm::cli
