// The controller's output: to the terminal, or to the file that `sink` names. A message about a failure in a script begins
// with the script's line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/controller/screen.hpp"
#include "control/controller/user_files.hpp"

namespace dpm::control {

// The result of a command: `left` ends the controller.
enum class Outcome { done, failed, left };

using Words = std::vector<std::string>;  // a command's parameters

class Console {
 public:
  explicit Console(Screen& terminal) : terminal_(terminal) {}

  // A text is one line; any newline in it is shown as ^J (visible.hpp).
  void say(const std::string& line) { say(Lines{line}); }
  void say(const Lines& lines);
  Outcome fail(const std::string& why);
  void progress(const std::string& text) { terminal_.progress(text); }

  // Whether output goes to a file: then nothing of it is cut.
  bool keeps_everything() const { return file_.has_value() || terminal_.is_file(); }
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
