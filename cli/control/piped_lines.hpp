// Commands from a pipe or a file on standard input: no prompt and no echo. What machines report is shown meanwhile.
#pragma once

#include <optional>
#include <string>

#include "cli/control/waiting.hpp"

namespace dpm::cli {

class PipedLines {
 public:
  PipedLines(int input, WhileWaiting meanwhile) : input_(input), meanwhile_(std::move(meanwhile)) {}

  // The next line without its end; nothing at the end of the input, or when the user interrupts.
  std::optional<std::string> next();

 private:
  bool take_more();

  int input_;
  WhileWaiting meanwhile_;
  std::string pending_;
  bool is_at_end_ = false;
};

}  // namespace dpm::cli
