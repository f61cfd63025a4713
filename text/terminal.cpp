#include "text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <streambuf>
#include <string>

#include "text/wrapped.hpp"

namespace dpm {
namespace {

constexpr int kNarrowestTerminal = 40;  // columns; smaller widths are ignored

// Lines that are wider than the terminal break between words. A line that is flushed before its end, such as a question or progress,
// passes as it is.
class LineBreaker : public std::streambuf {
 public:
  LineBreaker(std::ostream& to, int width) : to_(to), width_(static_cast<std::size_t>(width)) {}
  ~LineBreaker() override { LineBreaker::sync(); }

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    line_ += static_cast<char>(c);
    if (c == '\n') end_line();
    return c;
  }
  int sync() override {
    if (!line_.empty()) is_begun_ = !line_.ends_with('\r');
    to_ << line_ << std::flush;
    line_.clear();
    return 0;
  }

 private:
  void end_line() {
    line_.pop_back();
    const bool is_plain = std::none_of(line_.begin(), line_.end(), [](unsigned char c) { return c < ' ' || c == 127; });
    if (is_plain && !is_begun_) line_ = broken_line(line_, width_);
    to_ << line_ << std::endl;
    line_.clear();
    is_begun_ = false;
  }

  std::ostream& to_;
  const std::size_t width_;
  std::string line_;
  bool is_begun_ = false;
};

std::ostream& broken_lines(int width) {
  static LineBreaker breaker(std::cerr, width);
  static std::ostream stream(&breaker);
  return stream;
}

int width_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowestTerminal ? size.ws_col : 0;
}

}  // namespace

Terminal standard_terminal() {
  const bool err_is_tty = isatty(STDERR_FILENO) == 1;
  const int err_width = width_of(STDERR_FILENO);
  Terminal terminal{std::cout, err_is_tty && err_width > 0 ? broken_lines(err_width) : std::cerr};
  if (const int width = width_of(STDOUT_FILENO); width > 0) terminal.width = width;
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr && std::atoi(columns) >= kNarrowestTerminal) terminal.width = std::atoi(columns);
  terminal.err_is_tty = err_is_tty;
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
