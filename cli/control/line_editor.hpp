// The controller on a terminal: line editing, history and completion with libedit, which is used only here. What
// machines report while the user types is shown above the line being typed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/control/waiting.hpp"
#include "control/controller/completion.hpp"
#include "control/controller/screen.hpp"

namespace dpm::cli {

class LineEditor : public control::Screen {
 public:
  // `history_file` is readable only for the user; empty: no history is kept.
  LineEditor(std::string prompt, std::string history_file);
  ~LineEditor() override;
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  void on_waiting(WhileWaiting meanwhile);
  void on_completion(std::function<control::Completion(std::string_view line)> complete);

  // The next line without its end; nothing after control-D on an empty line, or when the terminal is gone.
  std::optional<std::string> next();

 private:
  class Library;
  void put(std::string_view text) override;
  void put_progress(std::string_view text) override;

  std::unique_ptr<Library> library_;
};

}  // namespace dpm::cli
