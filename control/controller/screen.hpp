// Where the controller shows its output: the user's terminal, a pipe, a test.
#pragma once

#include <string_view>

#include "control/controller/visible.hpp"

namespace dpm::control {

class Screen {
 public:
  virtual ~Screen() = default;

  // The only way to the terminal. The text comes from other machines in part: what it contains is shown, not obeyed.
  void show(const Lines& lines) { put(visible_lines(lines)); }

  // How far a command is, in place of the last such text, until the next lines or an empty text. For terminals.
  void progress(std::string_view text) { put_progress(visible(text)); }

  // A file takes everything at once; a terminal or a pipe has a reader.
  virtual bool is_file() const { return false; }

 private:
  // One or more complete lines, without the last newline.
  virtual void put(std::string_view text) = 0;
  virtual void put_progress(std::string_view) {}
};

}  // namespace dpm::control
