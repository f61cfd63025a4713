#include "cli/control/piped_lines.hpp"

#include <unistd.h>

#include <cerrno>

namespace dpm::cli {

std::optional<std::string> PipedLines::next() {
  constexpr std::size_t kLineBytesMax = 1024 * 1024;  // a longer line is not a command
  while (true) {
    const auto newline = pending_.find('\n');
    if (newline != std::string::npos || is_at_end_ || pending_.size() > kLineBytesMax) {
      if (newline == std::string::npos && pending_.empty()) return std::nullopt;
      std::string line = pending_.substr(0, newline);
      pending_.erase(0, newline == std::string::npos ? newline : newline + 1);
      return line;
    }
    if (!take_more()) return std::nullopt;
  }
}

// False when the user interrupts.
bool PipedLines::take_more() {
  switch (wait_for(input_, meanwhile_)) {
    case Woken::interrupted:
      return false;
    case Woken::shown:
      return true;
    case Woken::input:
      break;
  }
  char part[4096];
  const ssize_t count = read(input_, part, sizeof part);
  if (count > 0) pending_.append(part, static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) is_at_end_ = true;
  return true;
}

}  // namespace dpm::cli
