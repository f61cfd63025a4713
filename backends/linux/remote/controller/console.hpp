// The controller's output: to the terminal, or to the file that `sink` names. A message about a failure in a script begins
// with the script's line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/linux/remote/controller/screen.hpp"
#include "backends/linux/remote/controller/user_files.hpp"

namespace dpm::control {

// The result of a command: `left` ends the controller.
enum class Outcome { done, failed, left };

using Words = std::vector<std::string>;  // a command's parameters

class Console : public Screen {
 public:
  explicit Console(Screen& terminal) : terminal_(terminal) {}

  void show(std::string_view lines) override;
  void say(const std::string& lines) { show(lines); }
  Outcome fail(const std::string& why);

  void sink_to(std::optional<SinkFile> file) { file_ = std::move(file); }

  // The script line that is performed ("script:3"); scripts nest.
  void enter(const std::string& where) { where_.push_back(where); }
  void leave() { where_.pop_back(); }

 private:
  Screen& terminal_;
  std::optional<SinkFile> file_;
  std::vector<std::string> where_;
};

}  // namespace dpm::control
