// Where the controller shows what it has to say: the user's terminal, a pipe, a test.
#pragma once

#include <string_view>

namespace dpm::control {

class Screen {
 public:
  virtual ~Screen() = default;

  // One or more whole lines, without the last newline.
  virtual void show(std::string_view lines) = 0;
};

}  // namespace dpm::control
