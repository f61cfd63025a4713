// The whole terminal as lines, and its keys. The terminal is as it was when this is destroyed, and when a signal ends the process.
#pragma once

#include <chrono>
#include <vector>

#include "model/result.hpp"
#include "view/terminal/key.hpp"
#include "view/terminal/screen_line.hpp"

namespace dpm::view {

class TerminalScreen {
 public:
  // Refused if TERM names no terminal that can move its cursor. One at a time.
  static Result<TerminalScreen> open(bool colour);
  TerminalScreen(TerminalScreen&& other) noexcept;
  TerminalScreen& operator=(TerminalScreen&&) = delete;
  ~TerminalScreen();

  ScreenSize size() const;
  // Lines beyond the screen, and what is beyond its right edge, are not shown.
  void draw(const std::vector<ScreenLine>& lines);
  // The next key, or Kind::none when the time has passed.
  Key wait(std::chrono::milliseconds time);

 private:
  explicit TerminalScreen(bool colour) : is_open_(true), colour_(colour) {}

  bool is_open_ = false;
  bool colour_ = false;
};

}  // namespace dpm::view
