#include "text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace dpm {
namespace {

constexpr int kNarrowestTerminal = 40;  // columns; smaller widths are ignored

}  // namespace

Terminal standard_terminal() {
  Terminal terminal{std::cout, std::cerr};
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowestTerminal) terminal.width = size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr && std::atoi(columns) >= kNarrowestTerminal) terminal.width = std::atoi(columns);
  terminal.err_is_tty = isatty(STDERR_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  terminal.colour = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
  return terminal;
}

void ProgressLine::show(const std::string& what) {
  if (!terminal_.err_is_tty) return;
  const std::string line = what.substr(0, static_cast<std::size_t>(std::max(terminal_.width - 1, 10)));
  terminal_.err << '\r' << line << std::string(shown_ > line.size() ? shown_ - line.size() : 0, ' ') << std::flush;
  shown_ = line.size();
}

void ProgressLine::clear() {
  if (shown_ == 0) return;
  terminal_.err << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
  shown_ = 0;
}

}  // namespace dpm
