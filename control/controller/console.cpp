#include "control/controller/console.hpp"

#include <fmt/format.h>

namespace dpm::control {

void Console::say(const Lines& lines) {
  if (!file_.has_value()) return terminal_.show(lines);
  auto written = file_->write(visible_lines(lines) + "\n");
  if (written) return;
  // The disk may be full: show on the terminal what could not be written.
  file_.reset();
  terminal_.show({fmt::format("sink: {}; output goes to the terminal again", written.error().what)});
  terminal_.show(lines);
}

Outcome Console::fail(const std::string& why) {
  say((where_.empty() ? "" : where_.back() + ": ") + why);
  return Outcome::failed;
}

}  // namespace dpm::control
