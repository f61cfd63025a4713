// Where a command writes: results to `out`, everything else to `err`. The streams are passed in so that tests need no
// terminal.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace dpm {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  int width = 100;          // columns that a table may use: COLUMNS, or the terminal's width
  bool err_is_tty = false;  // long work shows its progress only on a terminal
  bool colour = false;      // obeys NO_COLOR
};

// The process's own standard streams.
Terminal standard_terminal();

// Reports the progress of long work: usually ProgressLine::show().
using Say = std::function<void(const std::string&)>;

// One line on a terminal that each message overwrites. Writes nothing to a pipe.
class ProgressLine {
 public:
  explicit ProgressLine(const Terminal& terminal) : terminal_(terminal) {}
  ~ProgressLine() { clear(); }
  void show(const std::string& what);
  void clear();

 private:
  const Terminal& terminal_;
  std::size_t shown_ = 0;
};

}  // namespace dpm
