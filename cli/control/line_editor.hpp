// The controller on a terminal: line editing, history and completion (libedit, whose only home is here), and what
// machines report while the user types, shown above the line that is being typed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/linux/remote/controller/completion.hpp"
#include "backends/linux/remote/controller/screen.hpp"
#include "cli/control/waiting.hpp"

namespace dpm::cli {

class LineEditor : public control::Screen {
 public:
  // `history_file` is made readable for the user alone; empty: nothing is kept.
  LineEditor(std::string prompt, std::string history_file);
  ~LineEditor() override;
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  void on_waiting(WhileWaiting meanwhile);
  void on_completion(std::function<control::Completion(std::string_view line)> complete);

  // The next line without its end; nothing for control-D on an empty one, or when the terminal is gone.
  std::optional<std::string> next();
  void show(std::string_view lines) override;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace dpm::cli
