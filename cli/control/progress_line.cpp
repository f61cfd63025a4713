#include "cli/control/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace dpm::cli {

std::size_t terminal_columns() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

void ProgressLine::show(std::string_view text) {
  if (text.empty() && !is_shown_) return;
  if (isatty(STDOUT_FILENO) != 1) return;
  is_shown_ = !text.empty();
  const std::string line = "\r\x1b[K" + std::string(text.substr(0, terminal_columns() - 1));
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace dpm::cli
