// Where a command writes: results on `out`, everything else on `err`. Passed in, so that commands can be tested without
// a terminal and behave well in a pipe.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace dpm::cli {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  int width = 100;          // columns a table may use: COLUMNS, or what the terminal says
  bool err_is_tty = false;  // long work shows its progress here, and is silent in a pipe
  bool colour = false;      // obeys NO_COLOR
};

// The process's own standard streams.
Terminal standard_terminal();

// How long work says what it does: usually Progress::show().
using Say = std::function<void(const std::string&)>;

// One line that overwrites itself on a terminal and is silent in a pipe.
class Progress {
 public:
  explicit Progress(const Terminal& terminal) : terminal_(terminal) {}
  ~Progress() { clear(); }
  void show(const std::string& what);
  void clear();

 private:
  const Terminal& terminal_;
  std::size_t shown_ = 0;
};

}  // namespace dpm::cli
