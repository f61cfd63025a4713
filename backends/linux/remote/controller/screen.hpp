// Where the controller shows its output: the user's terminal, a pipe, a test.
#pragma once

#include <string_view>

namespace dpm::control {

class Screen {
 public:
  virtual ~Screen() = default;

  // One or more complete lines, without the last newline.
  virtual void show(std::string_view lines) = 0;
};

}  // namespace dpm::control
